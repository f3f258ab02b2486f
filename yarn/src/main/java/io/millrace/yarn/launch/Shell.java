package io.millrace.yarn.launch;

/** Words of a container's command as the shells on their way read them. */
public final class Shell {
  private Shell() {}

  /**
   * So that the process gets exactly this text as one argument. A NodeManager writes the command
   * between double quotes into a script, as what another shell is to run: two shells read it.
   */
  public static String word(String text) {
    if (text.matches("[A-Za-z0-9_./:=,@%+-]+")) {
      return text;
    }
    String inner = "'" + text.replace("'", "'\\''") + "'";
    return inner.replaceAll("[\\\\\"$`]", "\\\\$0");
  }
}
