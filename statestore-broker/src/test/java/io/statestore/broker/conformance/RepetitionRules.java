package io.statestore.broker.conformance;

import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redelivered requests, which are answered, but not executed again (sections 7.2 and 10).
 */
interface RepetitionRules extends ConformanceContext {

	@Test
	default void redeliveredRequestReceivesRememberedReply() {
		StoreClient client = newClient();
		String key = unique("k");
		RawPublish request = client.request(Resp.command("SET", key, "first", "NX"));
		RawPublish reply = client.exchange(request);
		client.call("SET", key, "second");

		request.dup = true;
		request.packetId = 0;
		RawPublish again = client.exchange(request);

		assertThat(Resp.text(again)).isEqualTo(Resp.text(reply)).isEqualTo("+OK⏎");
		assertThat(Hlc.of(again)).isEqualTo(Hlc.of(reply));
		assertThat(again.userProperty("__stat")).isEqualTo("200");
		assertThat(client.value(key)).isEqualTo("second");
	}

	@Test
	default void repeatedRequestNeedsNoDupFlag() {
		StoreClient client = newClient();
		String key = unique("k");
		client.call("SET", key, "v");
		RawPublish request = client.request(Resp.command("DEL", key));
		RawPublish reply = client.exchange(request);
		assertThat(Resp.text(reply)).isEqualTo(":1⏎");

		request.packetId = 0;
		RawPublish again = client.exchange(request);

		assertThat(Resp.text(again)).isEqualTo(":1⏎");
		assertThat(Hlc.of(again)).isEqualTo(Hlc.of(reply));
	}

	@Test
	default void repetitionCausesNoNotification() {
		StoreClient watcher = newClient();
		StoreClient client = newClient();
		String key = unique("k");
		watcher.watch(key);
		RawPublish request = client.request(Resp.command("SET", key, "v"));
		client.exchange(request);
		request.packetId = 0;
		client.exchange(request);

		assertThat(watcher.notifications(key)).hasSize(1);
	}

	@Test
	default void remembersRepliesAcrossReconnect() {
		String clientId = unique("c");
		StoreClient client = newClient(clientId, true, 0);
		String key = unique("k");
		RawPublish request = client.request(Resp.command("SET", key, "first", "NX"));
		Hlc version = Hlc.of(client.exchange(request));
		client.close();

		StoreClient returned = newClient(clientId, true, 0);
		returned.call("DEL", key);
		request.dup = true;
		request.packetId = 0;
		RawPublish again = returned.exchange(request);

		assertThat(Resp.text(again)).isEqualTo("+OK⏎");
		assertThat(Hlc.of(again)).isEqualTo(version);
		assertThat(returned.value(key)).isNull();
	}

	@Test
	default void correlationDataFromOtherClientIsDistinct() {
		StoreClient first = newClient();
		StoreClient second = newClient();
		String key = unique("k");
		byte[] correlationData = StoreClient.newCorrelationData();

		assertThat(Resp.text(first.call((request) -> request.correlationData = correlationData, "SET", key, "1", "NX")))
			.isEqualTo("+OK⏎");
		assertThat(
				Resp.text(second.call((request) -> request.correlationData = correlationData, "SET", key, "2", "NX")))
			.isEqualTo(notApplied());
	}

}
