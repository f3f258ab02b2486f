package io.millrace.fs.hadoop;

import io.millrace.core.Bytes;
import io.millrace.core.security.DelegationTokenReceiver;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;

/** Passes delegation tokens to Hadoop's client in this process. */
public final class HadoopTokenReceiver implements DelegationTokenReceiver {
  @Override
  public String serviceName() {
    return HadoopTokenProvider.SERVICE;
  }

  @Override
  public void received(Bytes token) throws IOException {
    Credentials credentials = new Credentials();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(token.toArray()))) {
      credentials.readTokenStorageStream(in);
    }
    UserGroupInformation.getCurrentUser().addCredentials(credentials);
  }
}
