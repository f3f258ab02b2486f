package io.millrace.ha.zookeeper;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.kerby.kerberos.kerb.client.KrbClient;
import org.apache.kerby.kerberos.kerb.type.ticket.TgtTicket;

/** Ticket caches of a user, as kinit writes them. */
public final class TicketCache {
  private TicketCache() {}

  /**
   * Writes a ticket cache, and another one whose ticket expired a minute ago.
   *
   * @param user without the realm
   */
  public static void write(MiniKdc kdc, String user, Path keytab, Path valid, Path expired)
      throws Exception {
    KrbClient client = new KrbClient(kdc.getKrb5conf().getParentFile());
    client.init();
    TgtTicket ticket = client.requestTgt(user + "@" + kdc.getRealm(), keytab.toFile());
    client.storeTicket(ticket, Files.createFile(valid).toFile());
    int end = (int) (ticket.getEncKdcRepPart().getEndTime().getTime() / 1_000);
    int past = (int) (System.currentTimeMillis() / 1_000) - 60;
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(valid));
    int i = 0;
    while (bytes.getInt(i) != end) {
      i++;
    }
    // The end of the renewal period follows.
    bytes.putInt(i, past).putInt(i + Integer.BYTES, past);
    Files.write(expired, bytes.array());
  }
}
