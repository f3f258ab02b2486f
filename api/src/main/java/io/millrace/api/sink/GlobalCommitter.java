package io.millrace.api.sink;

/**
 * Commits the output of all writers of a {@link GlobalCommittingSink}.
 *
 * <pre>{@code
 * // Gives all files their names, and marks the directory when no more will come.
 * class PartCommitter implements GlobalCommitter<String> {
 *   public void commit(List<String> files) throws IOException {
 *     for (String file : files) {
 *       if (Files.exists(Path.of(file))) {
 *         Files.move(Path.of(file), Path.of(file.replace(".part", "part")));
 *       }
 *     }
 *   }
 *
 *   public void endOfInput() throws IOException {
 *     Files.writeString(Path.of("/data/_SUCCESS"), "");
 *   }
 * }
 * }</pre>
 *
 * @param <C> the committables
 */
public interface GlobalCommitter<C> extends Committer<C> {
  /**
   * All records of the sink are written, and everything is committed. Not called if the job is
   * stopped before the end of its input. Like a commit it is repeated after a failure.
   */
  default void endOfInput() throws Exception {}
}
