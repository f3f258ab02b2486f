package io.millrace.dataplane.snapshot;

import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * Keyed state at the moment of a snapshot, as local files that do not change any more.
 *
 * @param directory with the files
 * @param isShared whether later snapshots have a file with the same name and content, too
 * @param known the files that earlier checkpoints have stored
 * @param whenReleased called when the files are not needed any more
 */
public record NativeSnapshot(
    NativeState state,
    Path directory,
    Predicate<String> isShared,
    SharedFiles known,
    Runnable whenReleased) {}
