package io.statestore.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.certificates.TestCertificates;
import io.statestore.broker.cluster.ClusterOptions.Start;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.CertificateAuthenticator;
import io.statestore.broker.security.CertificateName;
import io.statestore.broker.security.ServerTls;
import io.statestore.broker.security.ServerTls.ClientAuth;
import io.statestore.broker.server.SecurityStatistics;
import io.statestore.broker.server.StaleReads;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Stale reads from three brokers of one cluster, whose rules hold on both ports. */
@Timeout(120)
@TestMethodOrder(OrderAnnotation.class)
class StaleReadTests {

	private static final String REFUSAL = "-ERR this port serves stale reads only (GET and SCAN); use the normal port "
			+ "of any node⏎";

	@TempDir
	private static Path directory;

	private static TestCertificates certificates;

	private static SSLContext operator;

	private static SSLContext panel;

	private static BrokerCluster cluster;

	@BeforeAll
	static void start() throws Exception {
		certificates = new TestCertificates(directory.resolve("certs"));
		operator = certificates.client("operator").newContext();
		panel = certificates.client("panel").newContext();
		Path rules = Files.writeString(directory.resolve("rules"), """
				user operator read,write key *
				user operator read,write topic #
				user operator administer
				user panel read key line-*
				""");
		cluster = new BrokerCluster(directory,
				(builder) -> builder.tls(ServerTls.ofPem(certificates.server(), ClientAuth.WANT))
					.authenticator(new CertificateAuthenticator(CertificateName.COMMON_NAME))
					.anonymous(AnonymousAccess.NONE)
					.rules(rules)
					.stalePort(0));
		for (StateStoreBroker broker : cluster.brokers()) {
			try (StoreClient reader = reader(broker)) {
				firstReply(reader, "line-1");
			}
		}
	}

	@AfterAll
	static void stop() {
		if (cluster != null) {
			cluster.close();
		}
	}

	private static int stalePort(StateStoreBroker broker) {
		return broker.stalePort().orElseThrow();
	}

	private static StoreClient client(int port, SSLContext tls) {
		RawMqttConnection.useTls(port, tls.getSocketFactory());
		try {
			return StoreClient.connect(port, "client");
		}
		finally {
			RawMqttConnection.useTcp(port);
		}
	}

	/** Connects to the leader, which may change on a busy machine. */
	private static StoreClient writer() {
		return BrokerCluster.await()
			.ignoreExceptionsInstanceOf(UncheckedIOException.class)
			.until(() -> client(cluster.broker(cluster.leader()).port(), operator), Objects::nonNull);
	}

	/** Connects to the port of stale reads. */
	private static StoreClient reader(StateStoreBroker broker) {
		return client(stalePort(broker), operator);
	}

	private static RawPublish write(Object... command) {
		try (StoreClient client = writer()) {
			RawPublish reply = client.call(command);
			assertThat(Resp.text(reply)).isEqualTo("+OK⏎");
			return reply;
		}
	}

	private static void overwrite(String key, byte[] value, int times) {
		try (StoreClient writer = writer()) {
			List<RawPublish> requests = Stream.generate(() -> writer.request(Resp.command("SET", key, value)))
				.limit(times)
				.toList();
			requests.forEach(writer.mqtt()::send);
			requests.forEach((request) -> assertThat(Resp.text(writer.reply(request))).isEqualTo("+OK⏎"));
		}
	}

	/**
	 * Returns the first reply to a GET, which is repeated as long as the node refuses to
	 * answer.
	 */
	private static RawPublish firstReply(StoreClient reader, String key) {
		List<RawPublish> refused = new ArrayList<>();
		RawPublish reply = BrokerCluster.await().pollInterval(Duration.ofMillis(1)).until(() -> {
			RawPublish request = reader.request(Resp.command("GET", key));
			int reason = reader.mqtt().puback(reader.mqtt().send(request));
			if (reason == 0) {
				return reader.reply(request);
			}
			assertThat(reason).isEqualTo(0x83);
			refused.add(request);
			return null;
		}, Objects::nonNull);
		assertThat(refused).allSatisfy((request) -> assertThat(reader.repliesSoFar(request)).isEmpty());
		return reply;
	}

	private static long age(RawPublish reply) {
		String age = reply.userProperty(StaleReads.AGE);
		assertThat(age).as("age of " + Resp.text(reply)).isNotNull().matches("\\d+");
		return Long.parseLong(age);
	}

	private static void awaitValue(StoreClient reader, String key, String value) {
		BrokerCluster.await().until(() -> value.equals(reader.value(key)));
	}

	@Order(1)
	@Test
	void everyNodeAnswersFromItsOwnCopy() {
		String version = Objects.requireNonNull(write("SET", "line-1", "v1").userProperty("__ts"));
		write("SET", "other", "v1");
		for (StateStoreBroker broker : cluster.brokers()) {
			try (StoreClient reader = reader(broker)) {
				awaitValue(reader, "other", "v1");
				RawPublish reply = reader.call("GET", "line-1");
				assertThat(Resp.text(reply)).isEqualTo("$2⏎v1⏎");
				assertThat(reply.userProperty("__ts")).isEqualTo(version);
				assertThat(age(reply)).isLessThan(30_000);
				assertThat(Resp.text(reader.call("SCAN", "*"))).contains("line-1", "other");
				assertThat(Resp.text(reader.call("GET", "absent"))).isEqualTo("$-1⏎");
			}
		}
	}

	@Order(2)
	@Test
	void refusesEverythingElse() {
		for (StateStoreBroker broker : cluster.brokers()) {
			try (StoreClient reader = reader(broker)) {
				for (Object[] command : List.of(new Object[] { "SET", "line-1", "v2" },
						new Object[] { "DEL", "line-1" }, new Object[] { "VDEL", "line-1", "v1" },
						new Object[] { "KEYNOTIFY", "line-1" }, new Object[] { "KEYNOTIFY", "line-1", "STOP" })) {
					assertThat(Resp.text(reader.call(command))).as(Arrays.toString(command)).isEqualTo(REFUSAL);
				}
				RawPublish administration = reader.request(new byte[0]);
				administration.topic = "statestore-administration/v1/request";
				assertThat(Resp.text(reader.exchange(administration))).isEqualTo(REFUSAL);
				RawPublish ordinary = RawPublish.of((publish) -> publish.topic = "alarms/1");
				assertThat(reader.mqtt().puback(reader.mqtt().send(ordinary))).isEqualTo(0x87);
				assertThat(reader.mqtt().subscribe("alarms/#")).isEqualTo(0x87);
				assertThat(reader.value("line-1")).isEqualTo("v1");
			}
		}
	}

	@Order(3)
	@Test
	void rulesAndLoginsHold() throws Exception {
		StateStoreBroker broker = cluster.broker(cluster.follower());
		SecurityStatistics before = broker.statistics().security();
		try (StoreClient reader = client(stalePort(broker), panel)) {
			assertThat(broker.statistics().connections().open()).isEqualTo(1);
			assertThat(reader.value("line-1")).isEqualTo("v1");
			assertThat(Resp.text(reader.call("GET", "other"))).isEqualTo("-ERR not authorized⏎");
			assertThat(Resp.text(reader.call("SET", "line-1", "v2"))).isEqualTo("-ERR not authorized⏎");
			assertThat(Resp.text(reader.call("SCAN", "*"))).isEqualTo("*1⏎*1⏎$6⏎line-1⏎");
		}
		try (RawMqttConnection unknown = new RawMqttConnection(certificates.trust().getSocketFactory().createSocket(),
				stalePort(broker))) {
			assertThat(unknown.connect("unknown").reason()).isEqualTo(0x86);
		}
		assertThat(broker.statistics().security()).isEqualTo(before.plus(new SecurityStatistics(1, 1, 2, 0)));
	}

	@Order(4)
	@Test
	void restartedFollowerAnswersOnceItHasCaughtUp() {
		String follower = cluster.follower();
		for (int i = 0; i < 8; i++) {
			// Much data can cost a leader its leadership on a busy machine.
			BrokerCluster.await().untilAsserted(() -> overwrite("line-1", new byte[1 << 10], 100));
		}
		write("SET", "line-1", "v2");
		cluster.stop(follower);
		cluster.start(follower, Start.EXISTING);
		try (StoreClient reader = reader(cluster.broker(follower))) {
			// Repeats the log meanwhile, in which the key is absent at first.
			RawPublish first = firstReply(reader, "line-1");
			assertThat(Resp.text(first)).isEqualTo("$2⏎v2⏎");
			assertThat(age(first)).isLessThan(30_000);
		}
		cluster.awaitReady();
	}

	@Order(5)
	@Test
	void nodeWithoutMajorityAnswers() throws Exception {
		String last = cluster.follower();
		write("SET", "lease", "holder", "PX", "2000");
		write("SET", "line-1", "v3");
		try (StoreClient reader = reader(cluster.broker(last))) {
			awaitValue(reader, "line-1", "v3");
			stopAllBut(last);
			BrokerCluster.await().until(() -> !cluster.broker(last).isReady());
			BrokerCluster.await().until(() -> isRefused(cluster.broker(last)));
			assertThat(reader.value("line-1")).isEqualTo("v3");
			BrokerCluster.await().until(() -> reader.value("lease") == null);
			BrokerCluster.await().until(() -> age(reader.call("GET", "line-1")) >= 1_500);
		}
		try (StoreClient next = reader(cluster.broker(last))) {
			assertThat(next.value("line-1")).isEqualTo("v3");
			assertThat(Resp.text(next.call("SET", "line-1", "v4"))).isEqualTo(REFUSAL);
		}
	}

	private static void stopAllBut(String last) {
		for (String name : List.of("a", "b", "c")) {
			if (!name.equals(last)) {
				cluster.stop(name);
			}
		}
	}

	private static boolean isRefused(StateStoreBroker broker) {
		try (RawMqttConnection client = new RawMqttConnection(operator.getSocketFactory().createSocket(),
				broker.port())) {
			return client.connect("next").reason() != 0;
		}
		catch (IOException | AssertionError ex) {
			return true;
		}
	}

	@Order(6)
	@Test
	void restartedNodeReportsNoKeyAsAbsentBeforeItKnowsState() {
		String last = List.of("a", "b", "c").stream().filter(cluster::isRunning).findFirst().orElseThrow();
		cluster.stop(last);
		cluster.start(last, Start.EXISTING);
		try (StoreClient reader = reader(cluster.broker(last))) {
			RawPublish request = reader.request(Resp.command("GET", "line-1"));
			assertThat(reader.mqtt().puback(reader.mqtt().send(request))).isEqualTo(0x83);
			List.of("a", "b", "c")
				.stream()
				.filter((name) -> !name.equals(last))
				.forEach((name) -> cluster.start(name, Start.EXISTING));
			cluster.elect();
			cluster.awaitReady();
			RawPublish first = firstReply(reader, "line-1");
			assertThat(Resp.text(first)).isEqualTo("$2⏎v3⏎");
			assertThat(age(first)).isLessThan(30_000);
			assertThat(reader.repliesSoFar(request)).isEmpty();
		}
	}

}
