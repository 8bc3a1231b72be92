package io.statestore.broker.standalone;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

import ch.qos.logback.classic.Level;
import com.alipay.sofa.jraft.util.Endpoint;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.broker.cluster.ClusterOptions;
import io.statestore.broker.cluster.Leadership;
import io.statestore.broker.cluster.NodeAddress;
import io.statestore.broker.conformance.Hlc;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.security.PemFiles;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.cluster.transport.Elections;
import io.statestore.test.CapturedLog;
import io.statestore.test.RawPublish;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests starts on an earlier build's directories. Keys, versions, fences, and remembered
 * replies are kept.
 * <p>
 * The directories come from the executable JAR of commit 36ea3d67. To create them again:
 * <ol>
 * <li>Build the JAR, and create certificates with {@code certs}, where {@code --node} is
 * {@code a=127.83.17.1}, {@code b=127.83.17.2}, and {@code c=127.83.17.3}.
 * <li>Start one broker with {@code --data-directory}, and three nodes with the addresses
 * in {@link #PEERS} and {@code --new-cluster}. Connect a client with a session expiry to
 * the single broker, which then has an {@code mqtt} folder with a session.
 * <li>Send the requests of {@link Content} with the prefix {@code snapshot/}.
 * <li>Make each broker write a snapshot. The single broker does so after more than 64 MiB
 * of SETs of one key, which is then deleted. A node does so for the {@code backup}
 * command.
 * <li>Send the requests again with the prefix {@code log/}, and kill all brokers with
 * SIGKILL. No snapshot contains these keys.
 * <li>Record the versions of the replies in the {@code .properties} file. Pack the
 * directories with {@code zip}, without the files named {@code lock}, then with
 * {@code gzip}. The log of each node ends with 32 MiB of zeros, which need two
 * compressions.
 * </ol>
 * A key expires after an hour, and a reply is forgotten after five minutes. Both count in
 * log time, which does not pass while a store is down, so the tests do not depend on the
 * date.
 */
@Timeout(120)
@Isolated("captures the log")
class EarlierDirectoriesTests {

	/**
	 * Node addresses, which the nodes' directories contain. {@code FreePorts} returns
	 * higher ports.
	 */
	private static final Map<String, NodeAddress> PEERS = peers();

	/**
	 * Port that the test occupies while it uses the addresses. Another build on this
	 * machine waits for this port.
	 */
	private static final int GUARD_PORT = 7482;

	@TempDir
	private Path directory;

	private static Map<String, NodeAddress> peers() {
		Map<String, NodeAddress> peers = new LinkedHashMap<>();
		peers.put("a", new NodeAddress("127.83.17.1", 7483));
		peers.put("b", new NodeAddress("127.83.17.2", 7483));
		peers.put("c", new NodeAddress("127.83.17.3", 7483));
		return peers;
	}

	@Test
	void oneNodeContinuesFromEarlierDirectory() throws IOException {
		Content content = unpack("one-node");
		assertThat(this.directory.resolve("mqtt/sessions")).exists();
		try (CapturedLog log = new CapturedLog("io.statestore.broker.server.LocalStore", Level.WARN);
				StateStoreBroker broker = StateStoreBroker.builder()
					.port(0)
					.storage(StorageOptions.in(this.directory))
					.start()) {
			content.verifyKeys(broker.port());
			content.verifyFences(broker.port());
			content.verifyReplies(broker.port());
			assertThat(log.messages()).singleElement()
				.asString()
				.contains("An earlier version kept MQTT sessions in " + this.directory.resolve("mqtt"))
				.contains("keys, locks, and replies are kept");
		}
		assertThat(this.directory.resolve("mqtt")).doesNotExist();
		assertThat(this.directory).isDirectoryContaining("glob:**/mqtt-unused-*");
	}

	@Test
	@DisabledOnOs(value = OS.MAC, disabledReason = "has no loopback address but 127.0.0.1")
	void threeNodesContinueFromEarlierDirectories() throws Exception {
		Content content = unpack("three-nodes");
		PemFiles certificates = certificates();
		Map<String, StateStoreBroker> brokers = new TreeMap<>();
		try (ServerSocket guard = await().ignoreExceptions().until(EarlierDirectoriesTests::guard, Objects::nonNull);
				AutoCloseable stop = () -> brokers.values().forEach(StateStoreBroker::close)) {
			for (String name : PEERS.keySet()) {
				brokers.put(name, start(name, certificates));
			}
			Elections.begin("statestore", PEERS.values().stream().map(EarlierDirectoriesTests::endpoint).toList());
			await().until(() -> brokers.values().stream().allMatch(StateStoreBroker::isReady));
			for (StateStoreBroker node : brokers.values()) {
				content.verifyKeys(node.port());
				content.verifyReplies(node.port());
			}
			content.verifyFences(follower(brokers).port());
		}
	}

	private static Endpoint endpoint(NodeAddress address) {
		return new Endpoint(address.host(), address.port());
	}

	private static StateStoreBroker follower(Map<String, StateStoreBroker> brokers) {
		return brokers.values()
			.stream()
			.filter((broker) -> !broker.leadership().map(Leadership::leading).orElseThrow())
			.findFirst()
			.orElseThrow();
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
	}

	private static ServerSocket guard() throws IOException {
		return new ServerSocket(GUARD_PORT, 1, InetAddress.getByName("127.83.17.1"));
	}

	private StateStoreBroker start(String name, PemFiles certificates) {
		return StateStoreBroker.builder()
			.port(0)
			.cluster(ClusterOptions.of(name, PEERS, this.directory.resolve(name), certificates))
			.start();
	}

	/** Creates a certificate for all nodes, on which their directories do not depend. */
	private PemFiles certificates() throws IOException {
		CertificateAuthority authority = CertificateAuthority.create("nodes", Duration.ofDays(1));
		IssuedCertificate issued = authority.issue(
				CertificateRequest.node(PEERS.values().stream().map(NodeAddress::host).toList(), Duration.ofDays(1)));
		return PemFiles
			.of(Files.writeString(this.directory.resolve("crt"), issued.certificatePem()),
					Files.writeString(this.directory.resolve("key"), issued.keyPem()))
			.withAuthorities(Files.writeString(this.directory.resolve("ca"), authority.certificate().certificatePem()));
	}

	private Content unpack(String name) throws IOException {
		try (ZipInputStream zip = new ZipInputStream(new GZIPInputStream(resource(name + ".zip.gz")))) {
			for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
				Path target = this.directory.resolve(entry.getName());
				if (entry.isDirectory()) {
					Files.createDirectories(target);
				}
				else {
					Files.copy(zip, target);
				}
			}
		}
		try (Reader reader = new InputStreamReader(resource(name + ".properties"), StandardCharsets.UTF_8)) {
			Properties versions = new Properties();
			versions.load(reader);
			return new Content(versions);
		}
	}

	private static InputStream resource(String name) {
		return Objects.requireNonNull(EarlierDirectoriesTests.class.getResourceAsStream(name), name);
	}

	/**
	 * Content of the store. Two clients, {@code writer} and {@code repeater}, have sent
	 * these requests for each prefix, shown here without the prefix: <pre>
	 * SET plain replaced
	 * SET plain kept
	 * SET expiring alive PX 3600000
	 * SET deleted gone
	 * DEL deleted
	 * SET lock first NX PX 3600000         its version is stale-token
	 * SET fenced first                     with stale-token
	 * VDEL lock first
	 * SET lock second NX PX 3600000
	 * SET fenced second                    with the version of lock
	 * SET repeated remembered              its version is reply; sent by repeater with a
	 *                                      message expiry of an hour and the correlation
	 *                                      data "request", which has the prefix, too
	 * SET repeated later
	 * </pre>
	 *
	 * @param versions versions of each key's latest SET, and of the other replies
	 */
	private record Content(Properties versions) {

		private static final List<String> PREFIXES = List.of("snapshot/", "log/");

		private static final Map<String, String> VALUES = Map.of("plain", "kept", "expiring", "alive", "lock", "second",
				"fenced", "second", "repeated", "later");

		/** Verifies the values and versions that a port returns. */
		void verifyKeys(int port) {
			try (StoreClient client = StoreClient.connect(port, "reader")) {
				for (String prefix : PREFIXES) {
					VALUES.forEach((key, value) -> verifyKey(client, prefix + key, value));
					assertThat(client.value(prefix + "deleted")).isNull();
				}
				assertThat(client.value("large")).isNull();
			}
		}

		private void verifyKey(StoreClient client, String key, String value) {
			RawPublish reply = client.call("GET", key);
			assertThat(Resp.text(reply)).as(key).isEqualTo("$" + value.length() + "⏎" + value + "⏎");
			assertThat(Hlc.of(reply)).as(key).isEqualTo(version(key));
		}

		/** Verifies that a repeated request is not executed again. */
		void verifyReplies(int port) {
			try (StoreClient client = StoreClient.connect(port, "repeater")) {
				for (String prefix : PREFIXES) {
					RawPublish request = client.request(Resp.command("SET", prefix + "repeated", "remembered"));
					request.correlationData = Resp.bytes(prefix + "request");
					RawPublish reply = client.exchange(request);
					assertThat(Resp.text(reply)).as(prefix).isEqualTo("+OK⏎");
					assertThat(Hlc.of(reply)).as(prefix).isEqualTo(version(prefix + "reply"));
					verifyKey(client, prefix + "repeated", "later");
				}
			}
		}

		/** Verifies that fences refuse the same writes as before. Changes fenced keys. */
		void verifyFences(int port) {
			try (StoreClient client = StoreClient.connect(port, "writer")) {
				for (String prefix : PREFIXES) {
					String key = prefix + "fenced";
					assertThat(Resp.text(client.callFenced(version(prefix + "stale-token"), "SET", key, "stale")))
						.isEqualTo("-ERR the request fencing token is a lower version than the fencing token "
								+ "protecting the resource⏎");
					assertThat(Resp.text(client.call("DEL", key)))
						.isEqualTo("-ERR a fencing token is required for this request⏎");
					assertThat(Resp.text(client.call("SET", prefix + "lock", "third", "NX"))).isEqualTo(":-1⏎");
					verifyKey(client, key, "second");
					RawPublish reply = client.callFenced(version(prefix + "lock"), "SET", key, "third");
					assertThat(Resp.text(reply)).isEqualTo("+OK⏎");
					assertThat(Hlc.of(reply)).isGreaterThan(latestVersion());
				}
			}
		}

		private Hlc latestVersion() {
			return this.versions.stringPropertyNames().stream().map(this::version).max(Hlc::compareTo).orElseThrow();
		}

		private Hlc version(String name) {
			return Hlc.of(new RawPublish().with("__ts", this.versions.getProperty(name)));
		}

	}

}
