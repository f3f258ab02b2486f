package io.millrace.ha.zookeeper;

import io.millrace.core.config.DeclaredOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.OptionProvider;
import java.util.List;

/** Declares the options of high availability through ZooKeeper. */
public final class ZooKeeperOptionProvider implements OptionProvider {
  @Override
  public List<Option<?>> options() {
    return DeclaredOptions.in(ZooKeeperOptions.class);
  }
}
