package io.millrace.dataplane.records;

import java.util.ArrayList;
import java.util.List;

/**
 * Describes the classes of single values, so that the values need not. A value refers to a section
 * by its number. A section has the first values with a new class in full: those who read it decode
 * them in order, and then know the classes as the writer did. Not thread-safe.
 */
public final class ClassDictionary {
  private final List<SectionBuilder> sections = new ArrayList<>();

  private record SectionBuilder(boolean trees, List<byte[]> examples) {}

  /**
   * Classes of values that one encoder has written.
   *
   * @param trees whether the values are encoded without references
   * @param examples encoded values that describe their classes, in order
   */
  public record Section(boolean trees, List<byte[]> examples) {
    public Section {
      examples = List.copyOf(examples);
    }
  }

  public ClassDictionary() {}

  /** Continues with the sections of another one. */
  public ClassDictionary(List<Section> sections) {
    sections.forEach(
        section ->
            this.sections.add(
                new SectionBuilder(section.trees(), new ArrayList<>(section.examples()))));
  }

  /** The sections as they are now, by number. */
  public List<Section> sections() {
    return sections.stream()
        .map(section -> new Section(section.trees(), section.examples()))
        .toList();
  }

  int size() {
    return sections.size();
  }

  boolean ofTrees(int section) {
    return sections.get(section).trees();
  }

  /** The examples of a section; more may be added at the end. */
  List<byte[]> examples(int section) {
    return sections.get(section).examples();
  }

  /** Adds a section; returns its number. */
  int add(boolean trees) {
    sections.add(new SectionBuilder(trees, new ArrayList<>()));
    return sections.size() - 1;
  }

  /** The number of the last section of a kind, -1 if there is none. */
  int last(boolean trees) {
    for (int section = sections.size() - 1; section >= 0; section--) {
      if (ofTrees(section) == trees) {
        return section;
      }
    }
    return -1;
  }
}
