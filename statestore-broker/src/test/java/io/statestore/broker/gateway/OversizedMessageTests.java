package io.statestore.broker.gateway;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.Map;

import com.sun.management.ThreadMXBean;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.Mosquitto;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Client messages that would cost a gateway much memory or time, on a real broker.
 */
@Timeout(60)
@RequiresProgram("mosquitto")
@Isolated("looks at all threads")
class OversizedMessageTests {

	private static final String PAGES = "clients/" + StoreClient.STORE + "/gateway/observers/0/";

	private Mosquitto mosquitto;

	private StoreClient client;

	@BeforeEach
	void connect() throws IOException {
		this.mosquitto = Mosquitto.start();
		this.client = StoreClient.connect(this.mosquitto.port(), "c");
	}

	@AfterEach
	void close() throws IOException {
		this.client.close();
		this.mosquitto.close();
	}

	private StateStoreGatewayBuilder gateway() {
		return StateStoreGateway.builder()
			.host("127.0.0.1")
			.port(this.mosquitto.port())
			.limits((limits) -> limits.withClientMemory(64 << 20).withMemoryPerClient(16 << 20));
	}

	@Test
	void skipsRequestWithMegabytesOfUserProperties() throws Exception {
		try (StateStoreGateway gateway = gateway().start()) {
			this.client.call("SET", "k", "before");
			long connections = connections();
			long allocated = allocatedByGateway();
			RawPublish request = requestWithUserProperties(800_000);
			this.client.mqtt().puback(this.client.mqtt().send(request));
			assertThat(this.client.value("k")).isEqualTo("before");
			assertThat(allocatedByGateway() - allocated).isLessThan(40 << 20);
			assertThat(this.client.repliesSoFar(request)).isEmpty();
			assertThat(connections()).isEqualTo(connections);
			assertThat(gateway.statistics().clientMemory().usedBytes()).isLessThan(1 << 20);
		}
	}

	@Test
	void acknowledgesSkippedRequests() {
		// More than the number of unacknowledged messages that Mosquitto sends.
		int requests = 30;
		try (StateStoreGateway gateway = gateway().start()) {
			for (int i = 0; i < requests; i++) {
				this.client.mqtt().puback(this.client.mqtt().send(requestWithUserProperties(15_000)));
			}
			this.client.call("SET", "k", "v");
			assertThat(this.client.value("k")).isEqualTo("v");
			assertThat(gateway.isServing()).isTrue();
		}
	}

	@Test
	void servesRequestWithPropertiesBelowLimit() {
		try (StateStoreGateway gateway = gateway().start()) {
			assertThat(Resp.text(this.client.exchange(requestWithUserProperties(13_000)))).isEqualTo("+OK⏎");
			assertThat(gateway.isServing()).isTrue();
		}
	}

	@Test
	void startsDespiteForgedTenMegabytePage() {
		try (StateStoreGateway gateway = gateway().start()) {
			this.client.watch("k");
		}
		RawPublish forged = page("7", "v1\n" + "6\n".repeat(5_000_000));
		this.client.mqtt().puback(this.client.mqtt().send(forged));
		try (StateStoreGateway gateway = gateway().start()) {
			assertThat(Resp.text(this.client.notification("k"))).isEqualTo("*2⏎$6⏎NOTIFY⏎$6⏎DELETE⏎");
			assertThat(allocatedByGateway()).isLessThan(80 << 20);
			assertThat(gateway.isServing()).isTrue();
		}
	}

	private RawPublish requestWithUserProperties(int count) {
		RawPublish request = this.client.request(Resp.command("SET", "k", "oversized"));
		request.userProperties.addAll(Collections.nCopies(count, Map.entry("", "")));
		return request;
	}

	private static RawPublish page(String name, String payload) {
		return RawPublish.of((message) -> {
			message.topic = PAGES + name;
			message.retain = true;
			message.payload = Resp.raw(payload);
		});
	}

	private long connections() throws IOException {
		return this.mosquitto.log().lines().filter((line) -> line.contains("New client connected")).count();
	}

	/** Returns how many bytes the only gateway's event loop has allocated. */
	private static long allocatedByGateway() {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long[] ids = Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("statestore-gateway"))
			.mapToLong(Thread::getId)
			.toArray();
		assertThat(ids).hasSize(1);
		return threads.getThreadAllocatedBytes(ids[0]);
	}

}
