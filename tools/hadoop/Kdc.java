import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.kerby.kerberos.kerb.client.KrbClient;

/**
 * The KDC of tools/yarn. Arguments: its directory, its port, and the principals without their realm. Each
 * principal gets a keytab in {@code keytabs} and a ticket cache, as from kinit, in {@code tickets}.
 * {@code krb5.conf} is written last.
 */
public final class Kdc {
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    Properties settings = MiniKdc.createConf();
    settings.setProperty(MiniKdc.KDC_BIND_ADDRESS, "localhost");
    settings.setProperty(MiniKdc.KDC_PORT, arguments[1]);
    MiniKdc kdc = new MiniKdc(settings, Files.createDirectories(directory.resolve("kdc")).toFile());
    kdc.start();
    File conf = kdc.getKrb5conf();
    KrbClient client = new KrbClient(conf.getParentFile());
    client.init();
    Path keytabs = Files.createDirectories(directory.resolve("keytabs"));
    Path tickets = Files.createDirectories(directory.resolve("tickets"));
    for (int i = 2; i < arguments.length; i++) {
      String principal = arguments[i];
      String name = principal.replaceAll("/.*", "");
      // The KDC keeps keys in memory only, so keytabs of an earlier run are invalid.
      Path keytab = keytabs.resolve(name + ".keytab");
      Files.deleteIfExists(keytab);
      kdc.createPrincipal(keytab.toFile(), principal);
      Path ticket = tickets.resolve(name);
      Files.deleteIfExists(ticket);
      Files.createFile(ticket);
      client.storeTicket(
          client.requestTgt(principal + "@" + kdc.getRealm(), keytab.toFile()), ticket.toFile());
    }
    Path draft = directory.resolve("krb5.conf.new");
    Files.copy(conf.toPath(), draft, StandardCopyOption.REPLACE_EXISTING);
    Files.move(draft, directory.resolve("krb5.conf"), StandardCopyOption.ATOMIC_MOVE);
    Thread.currentThread().join();
  }
}
