package io.statestore.broker.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.statestore.broker.conformance.TestedServer.Difference;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Topics, properties, and acknowledgments (section 1). */
interface TransportRules extends ConformanceContext {

	@ParameterizedTest
	@ValueSource(strings = { "clients/%s/services/statestore/_any_/command/invoke/response",
			"clients/%s/" + StoreClient.REQUEST_TOPIC, "clients/statestore/%s/response", "%s", "odd/%s/ / ü/" })
	default void repliesToResponseTopicOfRequest(String shape) {
		StoreClient client = newClient();
		String topic = String.format(shape, client.clientId());
		client.mqtt().subscribe(topic);

		RawPublish reply = client.call((request) -> request.responseTopic = topic, "GET", unique("k"));

		assertThat(reply.topic).isEqualTo(topic);
		assertThat(Resp.text(reply)).isEqualTo("$-1⏎");
	}

	@Test
	default void repliesToSubscribersOfResponseTopic() {
		StoreClient asking = newClient();
		StoreClient listening = newClient();
		String topic = unique("answers");
		listening.mqtt().subscribe(topic);

		RawPublish request = asking.request(Resp.command("GET", unique("k")));
		request.responseTopic = topic;
		asking.mqtt().send(request);

		assertThat(Resp.text(listening.reply(request))).isEqualTo("$-1⏎");
	}

	@Test
	default void refusesResponseTopicOfAnotherClient() {
		StoreClient asking = newClient();
		StoreClient listening = newClient();
		RawPublish request = asking.request(Resp.command("GET", unique("k")));
		request.responseTopic = listening.responseTopic();

		int reason = asking.mqtt().puback(asking.mqtt().send(request));

		if (differs(Difference.CLIENT_ID_IS_A_CLAIM)) {
			assertThat(reason).isZero();
			listening.reply(request);
		}
		else {
			assertThat(reason).isEqualTo(0x87);
			asking.fence();
			listening.fence();
			assertThat(listening.repliesSoFar(request)).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 16, 17, 300 })
	default void correlationDataIsOpaqueAndEchoed(int length) {
		StoreClient client = newClient();
		byte[] correlationData = new byte[length];
		for (int i = 0; i < length; i++) {
			correlationData[i] = (byte) (i * 7);
		}

		RawPublish reply = client.call((request) -> request.correlationData = correlationData, "GET", unique("k"));

		assertThat(reply.correlationData).isEqualTo(correlationData);
	}

	@Test
	default void everyReplyHasQos1AndStatus200() {
		StoreClient client = newClient();
		String key = unique("k");
		for (String[] command : new String[][] { { "SET", key, "v" }, { "GET", key }, { "DEL", key }, { "DEL", key },
				{ "GET", key }, { "VDEL", key, "v" }, { "KEYNOTIFY", key }, { "KEYNOTIFY", key, "STOP" },
				{ "SCAN", key }, { "NONSENSE" }, { "GET" } }) {
			RawPublish reply = client.call((Object[]) command);
			assertThat(reply.userProperty("__stat")).as(String.join(" ", command)).isEqualTo("200");
			assertThat(reply.qos).as(String.join(" ", command)).isEqualTo(1);
			assertThat(reply.contentType).isIn(null, "application/octet-stream");
			assertThat(reply.payloadFormat).isIn(null, 0L);
		}
	}

	@Test
	default void acknowledgesErrorsWithZero() {
		StoreClient client = newClient();
		String key = unique("k");
		for (String[] command : new String[][] { { "SET", key, "v" }, { "GET", key }, { "SET", key, "v", "NX" },
				{ "get", key }, { "GET", "" } }) {
			int id = client.mqtt().send(client.request(Resp.command((Object[]) command)));
			assertThat(client.mqtt().puback(id)).as(String.join(" ", command)).isZero();
		}
	}

	@Test
	default void refusesRequestWithoutResponseTopic() {
		requestThatCannotBeAnswered((request) -> request.responseTopic = null);
	}

	@Test
	default void refusesRequestWithoutCorrelationData() {
		requestThatCannotBeAnswered((request) -> request.correlationData = null);
	}

	private void requestThatCannotBeAnswered(Consumer<RawPublish> defect) {
		StoreClient client = newClient();
		String key = unique("k");
		RawPublish request = client.request(Resp.command("SET", key, "v"));
		defect.accept(request);

		int reason = client.mqtt().puback(client.mqtt().send(request));

		if (differs(Difference.ACKNOWLEDGED_BY_THE_BROKER)) {
			assertThat(reason).isZero();
		}
		else {
			assertThat(reason).isGreaterThanOrEqualTo(0x80);
		}
		assertThat(client.value(key)).as("effect").isNull();
		assertThat(client.mqtt().messages((message) -> true)).as("replies").isEmpty();
	}

	@Test
	default void ignoresRequestWithQos0() {
		StoreClient client = newClient();
		String key = unique("k");
		RawPublish request = client.request(Resp.command("SET", key, "v"));
		request.qos = 0;

		client.mqtt().send(request);

		assertThat(client.value(key)).as("effect").isNull();
		assertThat(client.repliesSoFar(request)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { StoreClient.REQUEST_TOPIC, "clients/" + StoreClient.STORE,
			"clients/" + StoreClient.STORE + "/x", "clients/" + StoreClient.STORE + "x", "", "a/+/b", "a/#" })
	default void disconnectsForForbiddenResponseTopic(String topic) {
		StoreClient client = newClient();
		StoreClient other = newClient();
		other.mqtt().subscribe("a/#");
		String key = unique("k");
		RawPublish request = client.request(Resp.command("SET", key, "v"));
		request.responseTopic = topic;

		client.mqtt().send(request);

		if (!differs(Difference.CANNOT_DISCONNECT)) {
			assertThat(client.mqtt().awaitDisconnect()).isGreaterThanOrEqualTo(0x80);
			client.mqtt().awaitEnd();
		}
		assertThat(other.value(key)).as("effect").isNull();
		assertThat(other.repliesSoFar(request)).isEmpty();
	}

	@Test
	default void doesNotDeliverRequestsToSubscribers() {
		StoreClient client = newClient();
		StoreClient curious = newClient();
		curious.mqtt().subscribe("#");
		curious.mqtt().subscribe("statestore/#");
		curious.mqtt().subscribe(StoreClient.REQUEST_TOPIC);

		RawPublish reply = client.call("GET", unique("k"));
		assertThat(reply).isNotNull();
		curious.fence();

		List<RawPublish> seen = curious.mqtt().messages((message) -> message.topic.equals(StoreClient.REQUEST_TOPIC));
		if (differs(Difference.OTHERS_CAN_READ_ALONG)) {
			assertThat(seen).isNotEmpty();
		}
		else {
			assertThat(seen).isEmpty();
		}
	}

	@Test
	default void ignoresUnknownUserProperties() {
		StoreClient client = newClient();
		String key = unique("k");
		RawPublish reply = client.call((request) -> request.with("$partition", "x")
			.with("$high_priority", "")
			.with("__invId", "y")
			.with("aio-persistence", "true")
			.with("tracestate", "a=1")
			.with("tracestate", "b=2"), "SET", key, "v");

		assertThat(Resp.text(reply)).isEqualTo("+OK⏎");
	}

	@ParameterizedTest
	@ValueSource(strings = { "1.0", "1.7", "absent" })
	default void acceptsAnyMinorProtocolVersionOrNone(String version) {
		StoreClient client = newClient();
		RawPublish reply = client.call((request) -> {
			request.without("__protVer");
			if (!version.equals("absent")) {
				request.with("__protVer", version);
			}
		}, "GET", unique("k"));

		assertThat(Resp.text(reply)).isEqualTo("$-1⏎");
	}

	@Test
	default void sourceIdIsOptional() {
		StoreClient client = newClient();
		String key = unique("k");

		assertThat(Resp.text(client.call((request) -> request.without("__srcId"), "SET", key, "v"))).isEqualTo("+OK⏎");
		assertThat(client.value(key)).isEqualTo("v");
	}

	@Test
	default void servesClientWithOtherResponseTopic() {
		StoreClient client = newClient();
		String key = unique("k");
		String topic = unique("answers/");
		client.mqtt().subscribe(topic);
		Consumer<RawPublish> anonymous = (request) -> {
			request.without("__srcId");
			request.responseTopic = topic;
		};

		assertThat(Resp.text(client.call(anonymous, "SET", key, "v"))).isEqualTo("+OK⏎");
		RawPublish reply = client.call(anonymous, "KEYNOTIFY", key);
		assertThat(Resp.text(reply))
			.isEqualTo(differs(Difference.CLIENT_ID_IS_A_CLAIM) ? error("KEYNOTIFY", "not authorized") : "+OK⏎");
		assertThat(reply.userProperty("__protVer")).isEqualTo("1.0");
	}

	@Test
	default void servesRequestWithoutMessageExpiry() {
		assertThat(Resp.text(newClient().call((request) -> request.messageExpiry = null, "GET", unique("k"))))
			.isEqualTo("$-1⏎");
	}

	@Test
	default void repliesInRequestOrder() {
		StoreClient client = newClient();
		String key = unique("k");
		List<RawPublish> requests = new ArrayList<>();
		for (int i = 0; i < 15; i++) {
			requests.add(client.request(Resp.command("SET", key, "v" + i)));
			requests.add(client.request(Resp.command("GET", key)));
		}

		requests.forEach(client.mqtt()::send);

		List<byte[]> expected = requests.stream().map((request) -> request.correlationData).toList();
		client.fence();
		List<RawPublish> replies = client.mqtt().messages((message) -> true);
		assertThat(replies.stream().map((reply) -> reply.correlationData).toList())
			.usingElementComparator(java.util.Arrays::compare)
			.isEqualTo(expected);
		for (int i = 0; i < 15; i++) {
			assertThat(Resp.text(replies.get(2 * i + 1))).endsWith("v" + i + "⏎");
		}
	}

	@Test
	default void acceptsLargeValue() {
		StoreClient client = newClient();
		String key = unique("k");
		byte[] value = new byte[300_000];
		java.util.Arrays.fill(value, (byte) '\r');

		assertThat(Resp.text(client.call("SET", key, value))).isEqualTo("+OK⏎");
		assertThat(client.call("GET", key).payload).isEqualTo(Resp.bulk(value));
	}

}
