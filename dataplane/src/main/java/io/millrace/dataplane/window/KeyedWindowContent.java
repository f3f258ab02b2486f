package io.millrace.dataplane.window;

import io.millrace.api.function.KeySelector;
import io.millrace.dataplane.records.ValueCopier;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StateKind;

/**
 * The content of windows whose functions have keyed state: sets the current key. The state belongs
 * to the key, whatever the window is.
 */
final class KeyedWindowContent extends WindowContent {
  private final WindowContent content;
  private final KeySelector<Object, Object> selector;
  private final KeyedStateBackend store;

  KeyedWindowContent(
      WindowContent content, KeySelector<Object, Object> selector, KeyedStateBackend store) {
    this.content = content;
    this.selector = selector;
    this.store = store;
  }

  @Override
  void enter(Object key) {
    store.enter(key);
  }

  @Override
  void leave() {
    store.leave();
  }

  @Override
  Object fold(Object value, Object record) throws Exception {
    store.enter(selector.key(record));
    Object folded = content.fold(value, record);
    store.leave();
    return folded;
  }

  @Override
  Object copyForChange(Object value, ValueCopier copier) {
    return content.copyForChange(value, copier);
  }

  @Override
  StateKind kind() {
    return content.kind();
  }

  @Override
  Object merge(Object earlier, Object later) throws Exception {
    return content.merge(earlier, later);
  }

  @Override
  Object mergeIntoFirst(Object earlier, Object later) throws Exception {
    return content.mergeIntoFirst(earlier, later);
  }

  @Override
  Object copy(Object value) throws Exception {
    return content.copy(value);
  }

  @Override
  Object result(Object value) throws Exception {
    return content.result(value);
  }

  @Override
  Iterable<Object> all(Object value) throws Exception {
    return content.all(value);
  }
}
