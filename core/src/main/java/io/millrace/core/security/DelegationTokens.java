package io.millrace.core.security;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.ClassPathServices;
import io.millrace.core.plugin.DiscoveredService;
import io.millrace.core.plugin.Plugins;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** The delegation token providers and receivers of a process. */
public final class DelegationTokens {
  /** For a process without providers and receivers. */
  public static final DelegationTokens NONE =
      new DelegationTokens(Configuration.EMPTY, Plugins.NONE, new TreeMap<>(), new TreeMap<>());

  private final Configuration configuration;
  private final Plugins plugins;
  private final Map<String, DiscoveredService<DelegationTokenProvider>> providers;
  private final Map<String, DiscoveredService<DelegationTokenReceiver>> receivers;

  private DelegationTokens(
      Configuration configuration,
      Plugins plugins,
      Map<String, DiscoveredService<DelegationTokenProvider>> providers,
      Map<String, DiscoveredService<DelegationTokenReceiver>> receivers) {
    this.configuration = configuration;
    this.plugins = plugins;
    this.providers = OrderedCopies.map(providers);
    this.receivers = OrderedCopies.map(receivers);
  }

  /** Finds the providers and receivers of plugins. */
  public static DelegationTokens of(Configuration configuration, Plugins plugins) {
    if (!configuration.get(SecurityOptions.DELEGATION_TOKENS)) {
      return NONE;
    }
    return of(
        configuration,
        plugins,
        all(configuration, plugins, DelegationTokenProvider.class),
        all(configuration, plugins, DelegationTokenReceiver.class));
  }

  /**
   * Uses the enabled ones of these. Rejects two providers or two receivers of one service, and a
   * provider without a receiver.
   *
   * @param plugins for the suggestion in errors
   */
  public static DelegationTokens of(
      Configuration configuration,
      Plugins plugins,
      List<DiscoveredService<DelegationTokenProvider>> offered,
      List<DiscoveredService<DelegationTokenReceiver>> taking) {
    Map<String, DiscoveredService<DelegationTokenProvider>> providers =
        byService(configuration, offered, DelegationTokenProvider::serviceName);
    Map<String, DiscoveredService<DelegationTokenReceiver>> receivers =
        byService(configuration, taking, DelegationTokenReceiver::serviceName);
    providers.forEach(
        (service, provider) -> {
          if (!receivers.containsKey(service)) {
            throw new MillraceException(
                ErrorKind.USER,
                sentence(provider.origin())
                    + " obtains delegation tokens for '"
                    + service
                    + "', but there is no receiver for them. "
                    + plugins.howToAdd(wanted(service))
                    + " Or set "
                    + enabled(service).key()
                    + " to false.");
          }
        });
    return new DelegationTokens(configuration, plugins, providers, receivers);
  }

  /** The services for which tokens can be obtained, sorted. */
  public List<String> obtainable() {
    return new ArrayList<>(providers.keySet());
  }

  /** The services whose tokens this process can receive, sorted. */
  public List<String> receivable() {
    return new ArrayList<>(receivers.keySet());
  }

  /**
   * Obtains a token and installs it in this process. May block.
   *
   * @return empty if the service needs no token
   */
  public Optional<DelegationToken> obtain(String service) {
    DiscoveredService<DelegationTokenProvider> provider = providers.get(service);
    Optional<DelegationToken> token;
    try {
      token = provider.instance().obtain(configuration);
    } catch (IOException | RuntimeException | LinkageError e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "No delegation token for '"
              + service
              + "' could be obtained through "
              + provider.origin()
              + ": "
              + Failure.sentence(e)
              + ". Check that the service is reachable and that this process may use it, or set "
              + enabled(service).key()
              + " to false.",
          e);
    }
    token.ifPresent(obtained -> receive(service, obtained.content()));
    return token;
  }

  /** Passes a token to its receiver. May block. */
  public void receive(String service, Bytes token) {
    DiscoveredService<DelegationTokenReceiver> receiver = receivers.get(service);
    if (receiver == null) {
      throw new MillraceException(
          ErrorKind.USER,
          "The cluster has delegation tokens for '"
              + service
              + "', but this process has no receiver for them; it has receivers for "
              + (receivers.isEmpty() ? "none" : String.join(", ", receivers.keySet()))
              + ". "
              + plugins.howToAdd(wanted(service)));
    }
    try {
      receiver.instance().received(token);
    } catch (IOException | RuntimeException | LinkageError e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          sentence(receiver.origin())
              + " failed to install the delegation token of '"
              + service
              + "': "
              + Failure.sentence(e)
              + ".",
          e);
    }
  }

  /** Searches the class path only if an option requires it, because the search opens every jar. */
  private static <S> List<DiscoveredService<S>> all(
      Configuration configuration, Plugins plugins, Class<S> type) {
    List<DiscoveredService<S>> found = new ArrayList<>(plugins.services(type));
    boolean named =
        configuration.entries().keySet().stream()
            .anyMatch(key -> SecurityOptions.DELEGATION_TOKEN_PROVIDER.matches(key));
    if (named) {
      found.addAll(ClassPathServices.services(type));
    }
    return found;
  }

  private static <S> Map<String, DiscoveredService<S>> byService(
      Configuration configuration, List<DiscoveredService<S>> found, Function<S, String> nameOf) {
    Map<String, DiscoveredService<S>> byService = new TreeMap<>();
    for (DiscoveredService<S> one : found) {
      String service = nameOf.apply(one.instance());
      if (service.isBlank() || service.indexOf('.') >= 0) {
        throw new MillraceException(
            ErrorKind.USER,
            sentence(one.origin())
                + " has delegation tokens for a service named '"
                + service
                + "'; names must have at least one character and no dot. Use a version of it that"
                + " has a valid name.");
      }
      if (!configuration.get(enabled(service))) {
        continue;
      }
      DiscoveredService<S> other = byService.putIfAbsent(service, one);
      if (other != null) {
        throw new MillraceException(
            ErrorKind.USER,
            "Both "
                + other.origin()
                + " and "
                + one.origin()
                + " handle the delegation tokens of '"
                + service
                + "'. Remove one of them.");
      }
    }
    return byService;
  }

  private static Option<Boolean> enabled(String service) {
    return SecurityOptions.DELEGATION_TOKEN_PROVIDER.named(service);
  }

  private static String wanted(String service) {
    return "a " + DelegationTokenReceiver.class.getName() + " for '" + service + "'";
  }

  private static String sentence(String origin) {
    return Character.toUpperCase(origin.charAt(0)) + origin.substring(1);
  }
}
