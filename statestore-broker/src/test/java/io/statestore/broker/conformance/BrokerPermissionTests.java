package io.statestore.broker.conformance;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.server.SecurityStatistics;
import io.statestore.test.CapturedLog;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Rules for keys on the broker, with principals and while the rules change. */
@Isolated("captures the log")
class BrokerPermissionTests extends KeyPermissionRules {

	private static final String PRINCIPALS = """
			group operators = ada bob
			group operators read,write key press/*
			users read,write key own/{username}/*
			everyone read,write key client/{clientId}
			user ada administer
			user ada read,write key watched/*
			""";

	private final TestAuthorizer authorizer = new TestAuthorizer(RULES + PRINCIPALS);

	private StateStoreBroker broker;

	@Override
	TestedServer start() {
		this.broker = StateStoreBroker.builder()
			.authenticator(TestLogins.AUTHENTICATOR)
			.anonymous(AnonymousAccess.LOOPBACK)
			.authorizer(this.authorizer)
			.start();
		return new TestedServer() {

			@Override
			public int port() {
				return BrokerPermissionTests.this.broker.port();
			}

			@Override
			public void close() {
				BrokerPermissionTests.this.broker.close();
			}

		};
	}

	@BeforeEach
	void restoreRules() {
		this.authorizer.change(RULES + PRINCIPALS);
	}

	private StoreClient client(String id) {
		return TestLogins.client(this.broker.port(), id);
	}

	@ParameterizedTest
	@CsvSource({ "ada.1, press/1, true", "bob.1, press/1, true", "carl.1, press/1, false", "nobody, press/1, false",
			"ada.1, own/ada/k, true", "ada.1, own/bob/k, false", "nobody, own//k, false", "ada*.1, own/adam/k, false",
			"ada.1, client/ada.1, true", "ada.1, client/ada.2, false", "nobody, client/nobody, true",
			"?.1, client/a.1, false", "*.1, own/ada/k, false", "jörg ü.1, own/jörg ü/k, true",
			"jörg ü.1, own/jörg/k, false", "a/b.1, own/a/b/k, true", "[ab].1, own/a/k, false", "ada, press/1, false",
			"ada, own/ada/k, false", "ada, client/ada, true" })
	void permitsOrDeniesPrincipal(String clientId, String key, boolean permitted) {
		try (StoreClient client = client(clientId)) {
			for (Object[] command : new Object[][] { { "SET", key, "v" }, { "GET", key }, { "KEYNOTIFY", key },
					{ "VDEL", key, "x" }, { "DEL", key } }) {
				String reply = Resp.text(client.call(command));
				assertThat(!reply.equals(DENIED)).as(reply).isEqualTo(permitted);
			}
		}
	}

	@Test
	void appliesLoginNameRatherThanClientId() {
		try (StoreClient bob = TestLogins.client(this.broker.port(), "bob.x");
				StoreClient carl = StoreClient.connect(this.broker.port(), "ada.x", "carl", "password of carl")) {
			assertThat(Resp.text(bob.call("SET", "press/1", "v"))).isEqualTo("+OK⏎");
			assertThat(Resp.text(carl.call("SET", "press/1", "v"))).isEqualTo(DENIED);
			assertThat(Resp.text(carl.call("SET", "own/ada/k", "v"))).isEqualTo(DENIED);
			assertThat(Resp.text(carl.call("SET", "own/carl/k", "v"))).isEqualTo("+OK⏎");
			assertThat(Resp
				.text(carl.call((request) -> request.without("__srcId").with("__srcId", "ada"), "SET", "press/1", "v")))
				.isEqualTo(DENIED);
		}
	}

	@Test
	void lockBelongsToPrincipalThatMayWriteIt() {
		try (StoreClient ada = client("ada.lock"); StoreClient carl = client("carl.lock")) {
			Hlc token = Hlc.now(1);
			assertThat(Resp.text(ada.callFenced(token, "SET", "press/lock", "ada", "NX", "PX", "60000")))
				.isEqualTo("+OK⏎");
			assertThat(Resp.text(carl.callFenced(token, "SET", "press/lock", "carl", "NX", "PX", "60000")))
				.isEqualTo(DENIED);
			assertThat(Resp.text(carl.callFenced(token, "VDEL", "press/lock", "ada"))).isEqualTo(DENIED);
			assertThat(Resp.text(carl.call("SET", "press/lock\0successor", "carl"))).isEqualTo(DENIED);
			assertThat(ada.value("press/lock")).isEqualTo("ada");
			assertThat(Resp.text(ada.callFenced(token, "VDEL", "press/lock", "ada"))).isEqualTo(":1⏎");
		}
	}

	@Test
	void watcherStopsReceivingAfterChange() {
		try (StoreClient ada = client("ada.watch");
				StoreClient writer = client("ada.write");
				CapturedLog audit = new CapturedLog(AuditLog.LOGGER, Level.INFO)) {
			String key = "watched/" + "k";
			ada.watch(key);
			writer.call("SET", key, "1");
			assertThat(Resp.text(ada.notification(key))).contains("1");
			this.authorizer.change("user ada write key watched/*");
			writer.call("SET", key, "2");
			assertThat(ada.notifications(key)).isEmpty();
			assertThat(audit.messages())
				.contains("event=denied principal=\"ada\" client=\"ada.watch\" address=127.0.0.1 action=watch "
						+ "key=\"watched/k\"");
			this.authorizer.change(RULES + PRINCIPALS);
			writer.call("SET", key, "3");
			assertThat(ada.notifications(key)).as("the watch has ended").isEmpty();
			ada.watch(key);
			writer.call("SET", key, "4");
			assertThat(Resp.text(ada.notification(key))).contains("4");
		}
	}

	@Test
	void discardsWaitingNotificationsAfterChange() throws Exception {
		String key = "watched/waiting";
		try (StoreClient writer = client("ada.write");
				RawMqttConnection slow = new RawMqttConnection(this.broker.port())) {
			slow.connect(TestLogins.connect("ada.slow", PropertyType.RECEIVE_MAXIMUM.of(1)));
			slow.subscribed("clients/ada.slow/#", 0);
			// The reply has QoS 0, so only notifications wait.
			RawPublish request = writer.request(Resp.command("KEYNOTIFY", key));
			request.responseTopic = "clients/ada.slow/reply";
			request.packetId = 1;
			slow.send(request);
			RawPublish reply = slow.receivePublish();
			assertThat(Resp.text(reply)).isEqualTo("+OK⏎");
			assertThat(slow.receiveReason(PacketType.PUBACK)).isZero();
			writer.call("SET", key, "first");
			RawPublish first = slow.receivePublish();
			assertThat(Resp.text(first)).contains("first");
			writer.call("SET", key, "waiting");
			this.authorizer.change("user ada write key watched/*\nuser ada read key other/*");
			writer.call("SET", key, "denied");
			// The watch ends before the next request is executed.
			writer.call("SET", "watched/other", "later");
			// The connection discards the notifications before it reads the next packet.
			slow.ping();
			slow.acknowledge(first);
			request.payload = Resp.command("GET", "other/k");
			request.correlationData = StoreClient.newCorrelationData();
			request.packetId = 2;
			slow.send(request);
			assertThat(Resp.text(slow.receivePublish())).isEqualTo("$-1⏎");
		}
	}

	@Test
	void deniesRepeatedRequestAfterChange() {
		try (StoreClient ada = client("ada.repeat")) {
			RawPublish request = ada.request(Resp.command("SET", "press/repeat", "v"));
			assertThat(Resp.text(ada.exchange(request))).isEqualTo("+OK⏎");
			this.authorizer.change("");
			request.packetId = 0;
			assertThat(Resp.text(ada.exchange(request))).isEqualTo(DENIED);
			this.authorizer.change(RULES + PRINCIPALS);
			request.packetId = 0;
			assertThat(Resp.text(ada.exchange(request))).isEqualTo("+OK⏎");
		}
	}

	@Test
	void scanWithoutPermissionIsEmptyAndEnds() {
		try (StoreClient writer = client(); StoreClient reader = client("carl.scan")) {
			for (int i = 0; i < 2_000; i++) {
				writer.mqtt().send(writer.request(Resp.command("SET", "writable/many-" + i, "v")));
			}
			writer.fence();
			this.authorizer.change("");
			assertThat(reader.scan("writable/many-*")).isEmpty();
			this.authorizer.change("user carl read key writable/many-*9");
			assertThat(reader.scan("writable/many-*")).hasSize(200);
		}
	}

	@Test
	void scanWithManyRulesHasShortPages() {
		try (StoreClient writer = client(); StoreClient reader = client("carl.costly")) {
			for (int i = 0; i < 200; i++) {
				writer.mqtt().send(writer.request(Resp.command("SET", "writable/costly-" + i, "v")));
			}
			writer.fence();
			this.authorizer.change("user carl read key *costly-*9");
			assertThat(reader.scan("writable/costly-*")).hasSize(20);
			this.authorizer.change(IntStream.range(0, 500)
				.mapToObj((i) -> "user carl read key *-" + i + "/zz*/setpoint\n")
				.collect(Collectors.joining()) + "user carl read key *costly-*9");
			Resp.Page page = Resp.Page.of(reader.call("SCAN", "writable/costly-*"));
			assertThat(page.keys()).hasSizeLessThan(10);
			assertThat(page.token()).isNotNull();
			assertThat(reader.scan("writable/costly-*")).hasSize(20);
		}
	}

	@ParameterizedTest
	@CsvSource({ "ada.admin, true", "bob.admin, false", "nobody-admin, false" })
	void permitsAdministration(String clientId, boolean permitted) {
		try (StoreClient client = client(clientId)) {
			RawPublish request = client.request(Resp.command("LOCKS", "*"));
			request.topic = "statestore-administration/v1/request";
			client.mqtt().send(request);
			assertThat(Resp.text(client.reply(request)).equals(DENIED)).isNotEqualTo(permitted);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "clients/other/services/statestore/_any_/command/invoke/response",
			"clients/6F74686572/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/command/invoke/response",
			"clients/ada.respond/x/services/statestore/_any_/command/invoke/response", "clients/other",
			"clients/other/x" })
	void refusesResponseTopicOfAnotherClient(String topic) {
		try (StoreClient ada = client("ada.respond")) {
			RawPublish request = ada.request(Resp.command("SET", "press/respond", "v"));
			request.responseTopic = topic;
			assertThat(ada.mqtt().puback(ada.mqtt().send(request))).isEqualTo(0x87);
			assertThat(ada.value("press/respond")).isNull();
		}
	}

	@Test
	void refusesResponseTopicOfAnotherClientBelowOwnPrefix() {
		try (StoreClient client = client("statestore")) {
			RawPublish request = client.request(Resp.command("GET", "readable/k"));
			request.responseTopic = "clients/statestore/other/response";
			assertThat(client.mqtt().puback(client.mqtt().send(request))).isEqualTo(0x87);
		}
	}

	@ParameterizedTest
	@CsvSource({ "am, 616d, clients/616d/services/statestore/_any_/command/invoke/response",
			"plant, plant/p1, clients/plant/p1/replies" })
	void replyDoesNotReachOtherClientWithSameResponseTopic(String senderId, String otherId, String topic) {
		this.authorizer.change("everyone read key *\neveryone read,write topic end");
		try (StoreClient sender = client(senderId); StoreClient other = client(otherId)) {
			assertThat(other.mqtt().subscribe(topic)).isEqualTo(1);
			assertThat(other.mqtt().subscribe("end")).isEqualTo(1);
			RawPublish request = sender.request(Resp.command("GET", "k"));
			request.responseTopic = topic;
			assertThat(sender.mqtt().puback(sender.mqtt().send(request))).isZero();
			RawPublish end = RawPublish.of((publish) -> publish.topic = "end");
			assertThat(sender.mqtt().puback(sender.mqtt().send(end))).isLessThan(0x80);
			other.mqtt().take((message) -> message.topic.equals("end"), "end");
			assertThat(other.repliesSoFar(request)).isEmpty();
			assertThat(sender.mqtt().subscribe(topic)).as("a subscription to its own topic").isEqualTo(1);
			assertThat(Resp.text(sender.call((again) -> again.responseTopic = topic, "GET", "k"))).isEqualTo("$-1⏎");
			assertThat(other.repliesSoFar(request)).isEmpty();
		}
	}

	@ParameterizedTest
	@CsvSource({ "read", "write" })
	void otherResponseTopicNeedsReadAndWrite(String action) {
		try (StoreClient ada = client("ada.respond2")) {
			this.authorizer.change("user ada read key *\nuser ada " + action + " topic answers/+");
			RawPublish denied = ada.request(Resp.command("GET", "k"));
			denied.responseTopic = "answers/1";
			assertThat(ada.mqtt().puback(ada.mqtt().send(denied))).isEqualTo(0x87);
			this.authorizer.change("user ada read key *\nuser ada read,write topic answers/+");
			assertThat(ada.mqtt().subscribe("answers/1")).isEqualTo(1);
			assertThat(Resp.text(ada.call((request) -> request.responseTopic = "answers/1", "GET", "k")))
				.isEqualTo("$-1⏎");
		}
	}

	@Test
	void countsDenials() {
		try (StoreClient ada = client("ada.count")) {
			this.authorizer.change("user ada read key a");
			SecurityStatistics before = this.broker.statistics().security();
			assertThat(Resp.text(ada.call("GET", "a"))).isEqualTo("$-1⏎");
			assertThat(this.broker.statistics().security()).isEqualTo(before);
			assertThat(Resp.text(ada.call("GET", "b"))).isEqualTo(DENIED);
			assertThat(Resp.text(ada.call("SET", "a", "v"))).isEqualTo(DENIED);
			assertThat(ada.mqtt().subscribe("other")).isEqualTo(0x87);
			SecurityStatistics after = this.broker.statistics().security();
			assertThat(after.deniedRequests()).isEqualTo(before.deniedRequests() + 2);
			assertThat(after.deniedTopics()).isEqualTo(before.deniedTopics() + 1);
		}
	}

	@Test
	void losesNoRequestWhileRulesChange() throws Exception {
		AtomicBoolean ended = new AtomicBoolean();
		CompletableFuture<Void> changes = CompletableFuture.runAsync(() -> {
			while (!ended.get()) {
				this.authorizer.change("");
				this.authorizer.change("user ada read,write key traffic");
			}
		});
		try (StoreClient ada = client("ada.traffic")) {
			for (int i = 0; i < 300; i++) {
				assertThat(Resp.text(ada.call("SET", "traffic", "v"))).isIn("+OK⏎", DENIED);
				assertThat(Resp.text(ada.call("GET", "traffic"))).isIn("$1⏎v⏎", "$-1⏎", DENIED);
			}
		}
		finally {
			ended.set(true);
			changes.get();
		}
	}

}
