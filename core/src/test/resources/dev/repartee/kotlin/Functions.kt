// The source of the class files in this folder. Compiled by kotlinc 2.2.21 -java-parameters.
package dev.repartee.kotlin

import dev.repartee.Param

interface Described {
    fun described(name: String, limit: Int = 10): String
}

class Directory {
    fun find(name: String, limit: Int = 10, filter: String? = null) = "$name $limit $filter"
}

class Describing : Described {
    override fun described(name: String, limit: Int) = "$name $limit"
}

class Stated {
    fun find(name: String, @Param(defaultsTo = "10") limit: Int = 10) = "$name $limit"
}

class Plain {
    fun find(name: String, filter: String?) = "$name $filter"
}
