package io.millrace.dataplane.store;

/** What the entries of a table are. All keys begin with the key group. */
public enum Layout {
  /** Key: a value. With a time to live the value begins with the time of its last update. */
  VALUE,
  /** Key: the elements, each after its length. With a time to live as {@link #VALUE}. */
  LIST,
  /**
   * Key and key of the map: a value. With a time to live there is an entry of the key alone, whose
   * value is the time of the last update.
   */
  MAP,
  /** Start and end of a window, key: its content, that of a list as {@link #LIST}. */
  WINDOW,
  /** Key: its sessions, in order of time. */
  SESSION,
  /** Time and key: nothing. */
  TIMER
}
