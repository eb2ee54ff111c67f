server "repartee serve"
