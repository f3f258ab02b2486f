package io.millrace.bench.yarn;

/** Records its start and ends. */
public final class FloorWorker {
  private FloorWorker() {}

  /** The argument is the file. */
  public static void main(String[] arguments) {
    Marker.write(arguments[0]);
  }
}
