package io.millrace.core.fs;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.ClassPathServices;
import io.millrace.core.plugin.DiscoveredService;
import io.millrace.core.plugin.Plugins;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** The file systems of a process, by scheme. Plugins take precedence over the class path. */
public final class FileSystems {
  private static final FileSystem LOCAL = new LocalFileSystem();

  /**
   * Searched on the first unknown scheme: the search opens every jar, and most processes do not
   * need it.
   */
  private static final class OnClassPath {
    private static final Map<String, DiscoveredService<FileSystem>> FOUND =
        byScheme(ClassPathServices.services(FileSystem.class));
  }

  private final Map<String, DiscoveredService<FileSystem>> plugged;
  private final Plugins plugins;
  private final Configuration configuration;

  /** The ones that have the configuration. */
  private final Map<DiscoveredService<FileSystem>, FileSystem> configured =
      new ConcurrentHashMap<>();

  private FileSystems(Plugins plugins, Configuration configuration) {
    this.plugins = plugins;
    this.configuration = configuration;
    this.plugged = byScheme(plugins.services(FileSystem.class));
  }

  /** The file systems of a process without plugins. */
  public static FileSystems withoutPlugins() {
    return new FileSystems(Plugins.NONE, Configuration.EMPTY);
  }

  /**
   * Rejects two plugins for one scheme.
   *
   * @param configuration the options of the process, for file systems that have some
   */
  public static FileSystems of(Plugins plugins, Configuration configuration) {
    return new FileSystems(plugins, configuration);
  }

  /** The file system of a path; an unknown scheme is an error of the user. */
  public FileSystem of(FilePath path) {
    String scheme = path.scheme();
    if (scheme.equals(FilePath.LOCAL)) {
      return LOCAL;
    }
    DiscoveredService<FileSystem> found = plugged.get(scheme);
    if (found == null) {
      found = OnClassPath.FOUND.get(scheme);
    }
    if (found == null) {
      throw new MillraceException(
          ErrorKind.USER,
          "No file system for the scheme '"
              + scheme
              + "' of "
              + path
              + "; known are "
              + String.join(", ", known())
              + ". "
              + plugins.howToAdd("it"));
    }
    return configured.computeIfAbsent(found, this::configured);
  }

  private FileSystem configured(DiscoveredService<FileSystem> service) {
    service.instance().configure(configuration);
    return service.instance();
  }

  /** The known schemes, without a search of the class path. */
  public List<String> schemes() {
    Set<String> schemes = new TreeSet<>(plugged.keySet());
    schemes.add(FilePath.LOCAL);
    return new ArrayList<>(schemes);
  }

  private Set<String> known() {
    Set<String> known = new TreeSet<>(schemes());
    known.addAll(OnClassPath.FOUND.keySet());
    return known;
  }

  private static Map<String, DiscoveredService<FileSystem>> byScheme(
      List<DiscoveredService<FileSystem>> services) {
    Map<String, DiscoveredService<FileSystem>> byScheme = new LinkedHashMap<>();
    for (DiscoveredService<FileSystem> service : services) {
      for (String spelled : service.instance().schemes()) {
        String scheme = spelled.toLowerCase(Locale.ROOT);
        if (scheme.equals(FilePath.LOCAL)) {
          throw new MillraceException(
              ErrorKind.USER,
              service.origin() + " provides the scheme 'file', which is built in. Remove it.");
        }
        DiscoveredService<FileSystem> other = byScheme.putIfAbsent(scheme, service);
        if (other != null) {
          throw new MillraceException(
              ErrorKind.USER,
              "Both "
                  + other.origin()
                  + " and "
                  + service.origin()
                  + " provide the file system scheme '"
                  + scheme
                  + "'. Remove one of them.");
        }
      }
    }
    return byScheme;
  }
}
