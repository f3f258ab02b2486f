package io.millrace.dataplane.state;

/** The kinds of keyed state. A checkpoint stores the name of the kind. */
public enum StateKind {
  VALUE("a value state"),
  LIST("a list state"),
  MAP("a map state"),
  REDUCING("a reducing state"),
  AGGREGATING("an aggregating state"),
  /** The value of an entry is the time of a timer. */
  EVENT_TIMERS("event-time timers"),
  PROCESSING_TIMERS("processing-time timers");

  private final String text;

  StateKind(String text) {
    this.text = text;
  }

  /** The name of the class that describes states of this kind; that of the kind if none does. */
  String descriptor() {
    return switch (this) {
      case VALUE -> "ValueStateDescriptor";
      case LIST -> "ListStateDescriptor";
      case MAP -> "MapStateDescriptor";
      case REDUCING -> "ReducingStateDescriptor";
      case AGGREGATING -> "AggregatingStateDescriptor";
      case EVENT_TIMERS, PROCESSING_TIMERS -> name();
    };
  }

  /** The kind with its article, for messages. */
  public String text() {
    return text;
  }
}
