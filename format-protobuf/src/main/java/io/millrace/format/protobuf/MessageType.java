package io.millrace.format.protobuf;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** How messages of one type are parsed. Travels with the job; parsers do not. */
final class MessageType<T extends Message> implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Null for messages that are known by their descriptor only. */
  private final Class<T> generated;

  /** The files that describe the message, for one without a class. */
  private final byte[] files;

  private final String name;
  private transient Parser<T> parser;

  private MessageType(Class<T> generated, byte[] files, String name) {
    this.generated = generated;
    this.files = files;
    this.name = name;
    parser();
  }

  static <T extends Message> MessageType<T> of(Class<T> generated) {
    return new MessageType<>(generated, new byte[0], generated.getName());
  }

  static MessageType<DynamicMessage> of(byte[] files, String name) {
    return new MessageType<>(null, files.clone(), name);
  }

  static MessageType<DynamicMessage> of(Descriptor descriptor) {
    Map<String, FileDescriptorProto> files = new LinkedHashMap<>();
    collect(descriptor.getFile(), files);
    return of(
        FileDescriptorSet.newBuilder().addAllFile(files.values()).build().toByteArray(),
        descriptor.getFullName());
  }

  /** Dependencies first. */
  private static void collect(FileDescriptor file, Map<String, FileDescriptorProto> files) {
    if (!files.containsKey(file.getName())) {
      file.getDependencies().forEach(each -> collect(each, files));
      files.put(file.getName(), file.toProto());
    }
  }

  @SuppressWarnings("unchecked")
  Parser<T> parser() {
    if (parser == null) {
      parser =
          generated == null
              ? (Parser<T>) DynamicMessage.getDefaultInstance(descriptor()).getParserForType()
              : generatedParser();
    }
    return parser;
  }

  @SuppressWarnings("unchecked")
  private Parser<T> generatedParser() {
    return (Parser<T>) generatedInstance().getParserForType();
  }

  private Message generatedInstance() {
    try {
      return (Message) generated.getMethod("getDefaultInstance").invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new MillraceException(
          ErrorKind.USER,
          name
              + " is no class that Protobuf has generated. For messages without a class use"
              + " ProtobufFormat.dynamic.",
          e);
    }
  }

  /** The message, with the file that describes it. */
  Descriptor descriptor() {
    return generated == null ? described() : generatedInstance().getDescriptorForType();
  }

  private Descriptor described() {
    try {
      Map<String, FileDescriptor> built = new HashMap<>();
      for (FileDescriptorProto file : FileDescriptorSet.parseFrom(files).getFileList()) {
        FileDescriptor[] dependencies =
            file.getDependencyList().stream()
                .map(
                    each -> {
                      if (!built.containsKey(each)) {
                        throw new MillraceException(
                            ErrorKind.USER,
                            "The descriptors have "
                                + file.getName()
                                + ", but not "
                                + each
                                + " before it, which it imports. Run protoc with"
                                + " --include_imports.");
                      }
                      return built.get(each);
                    })
                .toArray(FileDescriptor[]::new);
        built.put(file.getName(), FileDescriptor.buildFrom(file, dependencies));
      }
      for (FileDescriptor file : built.values()) {
        Descriptor found = find(file);
        if (found != null) {
          return found;
        }
      }
      throw new MillraceException(
          ErrorKind.USER,
          "The descriptors have no message " + name + "; they are of " + built.keySet() + ".");
    } catch (InvalidProtocolBufferException | DescriptorValidationException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The descriptors of " + name + " are no FileDescriptorSet as protoc -o writes it.",
          e);
    }
  }

  private Descriptor find(FileDescriptor file) {
    String prefix = file.getPackage().isEmpty() ? "" : file.getPackage() + ".";
    if (!name.startsWith(prefix)) {
      return null;
    }
    Descriptor found = null;
    for (String each : name.substring(prefix.length()).split("\\.")) {
      found = found == null ? file.findMessageTypeByName(each) : found.findNestedTypeByName(each);
      if (found == null) {
        return null;
      }
    }
    return found;
  }
}
