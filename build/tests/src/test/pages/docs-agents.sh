# The service with the skills of the plan, and the files.
cat >Judge.java <<'END'
public class Judge {
  public String style(String text) {
    return "clear";
  }

  public String bugs(String text) {
    return "none";
  }

  public String publish(Object reviews) {
    return "published";
  }
}
END
javac -parameters Judge.java
server "repartee serve --class Judge --classpath . --listen tcp://127.0.0.1:7000"
echo one >a.md
echo two >b.md
