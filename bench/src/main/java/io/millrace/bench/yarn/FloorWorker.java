package io.millrace.bench.yarn;

/** Does nothing but tell that it runs. */
public final class FloorWorker {
  private FloorWorker() {}

  /** Takes the file to tell it in. */
  public static void main(String[] arguments) {
    Marker.write(arguments[0]);
  }
}
