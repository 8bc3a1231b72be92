package io.statestore.broker.gateway;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.conformance.Hlc;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.FaultProxy;
import io.statestore.test.Mosquitto;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Clients that stay connected to the broker while the gateway is restarted. */
@Timeout(60)
@RequiresProgram("mosquitto")
class GatewayRestartTests {

	private static final String SET = "*4⏎$6⏎NOTIFY⏎$3⏎SET⏎$5⏎VALUE⏎$1⏎%s⏎";

	private static final String DELETE = "*2⏎$6⏎NOTIFY⏎$6⏎DELETE⏎";

	private static final String OWN = "clients/" + StoreClient.STORE + "/gateway/";

	private Mosquitto mosquitto;

	private StoreClient writer;

	private StoreClient watcher;

	@BeforeEach
	void connect() throws IOException {
		this.mosquitto = Mosquitto.start();
		this.writer = client("writer");
		this.watcher = client("watcher");
	}

	@AfterEach
	void close() throws IOException {
		this.watcher.close();
		this.writer.close();
		this.mosquitto.close();
	}

	private StateStoreGatewayBuilder gateway() {
		return StateStoreGateway.builder().host("127.0.0.1").port(this.mosquitto.port());
	}

	private StoreClient client(String clientId) {
		return StoreClient.connect(this.mosquitto.port(), clientId);
	}

	private String notification(String key) {
		return Resp.text(this.watcher.notification(key));
	}

	@Test
	void notifiesWatcherOfLostKeyAndLaterChanges() {
		Hlc before;
		try (StateStoreGateway gateway = gateway().start()) {
			this.watcher.watch("k");
			before = Hlc.of(this.writer.call("SET", "k", "1"));
			assertThat(notification("k")).isEqualTo(SET.formatted("1"));
		}
		try (StateStoreGateway gateway = gateway().start()) {
			RawPublish lost = this.watcher.notification("k");
			assertThat(Resp.text(lost)).isEqualTo(DELETE);
			assertThat(Hlc.of(lost)).isGreaterThan(before);
			Hlc after = Hlc.of(this.writer.call("SET", "k", "2"));
			RawPublish change = this.watcher.notification("k");
			assertThat(Resp.text(change)).isEqualTo(SET.formatted("2"));
			assertThat(Hlc.of(change)).isEqualTo(after).isGreaterThan(Hlc.of(lost));
		}
	}

	@Test
	void notifiesWatcherOfValueInDirectory(@TempDir Path directory) {
		StorageOptions storage = StorageOptions.in(directory);
		Hlc before;
		try (StateStoreGateway gateway = gateway().storage(storage).start()) {
			this.watcher.watch("k");
			before = Hlc.of(this.writer.call("SET", "k", "1"));
			assertThat(notification("k")).isEqualTo(SET.formatted("1"));
			assertThat(gateway.durability()).isPresent();
		}
		try (StateStoreGateway gateway = gateway().storage(storage).start()) {
			RawPublish present = this.watcher.notification("k");
			assertThat(Resp.text(present)).isEqualTo(SET.formatted("1"));
			assertThat(Hlc.of(present)).isEqualTo(before);
			assertThat(Hlc.of(this.writer.call("DEL", "k"))).isGreaterThan(before);
			assertThat(notification("k")).isEqualTo(DELETE);
		}
	}

	@Test
	void notifiesWatcherAfterGatewayCrash() throws IOException {
		try (FaultProxy proxy = new FaultProxy(this.mosquitto.port());
				StateStoreGateway crashing = gateway().port(proxy.port()).start()) {
			this.watcher.watch("k");
			proxy.close();
			try (StateStoreGateway gateway = gateway().start()) {
				assertThat(notification("k")).isEqualTo(DELETE);
				this.writer.call("SET", "k", "2");
				assertThat(notification("k")).isEqualTo(SET.formatted("2"));
			}
		}
	}

	@Tag("long")
	@Tag("nightly")
	@Test
	void notifiesWatcherOfManyKeysAfterSeveralRestarts() {
		int keys = 3_000;
		try (StateStoreGateway gateway = gateway().start()) {
			this.watcher.watch("0");
			for (int key = 1; key < keys; key++) {
				this.watcher.call("KEYNOTIFY", String.valueOf(key));
			}
			for (int key = 0; key < keys; key += 2) {
				this.watcher.call("KEYNOTIFY", String.valueOf(key), "STOP");
			}
		}
		for (int restart = 0; restart < 2; restart++) {
			try (StateStoreGateway gateway = gateway().start()) {
				for (int key = 1; key < keys; key += 2) {
					assertThat(notification(String.valueOf(key))).isEqualTo(DELETE);
				}
				assertThat(this.watcher.notifications("0")).isEmpty();
			}
		}
	}

	@Test
	void forgetsWatcherThatLeftBeforeRestart() {
		try (StateStoreGateway gateway = gateway().start()) {
			this.watcher.watch("k");
			this.watcher.close();
		}
		try (StateStoreGateway gateway = gateway().start()) {
			awaitNothingRetained();
		}
		finally {
			this.watcher = client("watcher");
		}
		this.watcher.mqtt().subscribe(this.watcher.notificationFilter());
		try (StateStoreGateway gateway = gateway().start()) {
			assertThat(this.watcher.notifications("k")).isEmpty();
		}
	}

	/** Waits until the broker no longer retains pages of watches. */
	private void awaitNothingRetained() {
		boolean retained = true;
		while (retained) {
			try (StoreClient reader = client("reader")) {
				reader.mqtt().subscribe(OWN + "observers/#");
				reader.fence();
				retained = !reader.mqtt().messages((message) -> message.topic.startsWith(OWN)).isEmpty();
			}
		}
	}

	@Test
	void ignoresMalformedRetainedMessages() {
		try (StateStoreGateway gateway = gateway().start()) {
			this.watcher.watch("k");
		}
		String forged = StoreClient.hex("watcher") + ' ';
		retain("observers/0/7", "v1\n\n" + forged + "6\n" + forged + "zz\n" + forged + "\nnothing\nFF "
				+ StoreClient.hex("k") + '\n' + forged + StoreClient.hex("other") + '\n');
		retain("observers/0/8", "\u0001\u0002");
		retain("observers/0/x", "v1\n" + forged + StoreClient.hex("k2") + '\n');
		retain("observers/0/501", "v1\n" + forged + StoreClient.hex("k3") + '\n');
		retain("status", "v1\nversions=99999999999999\nobservers=1000000\n");
		try (StateStoreGateway gateway = gateway().start()) {
			assertThat(notification("k")).isEqualTo(DELETE);
			assertThat(notification("other")).isEqualTo(DELETE);
			assertThat(this.watcher.notifications("k2")).isEmpty();
			assertThat(this.watcher.notifications("k3")).isEmpty();
			Hlc version = Hlc.of(this.writer.call("SET", "k", "2"));
			assertThat(version.wall()).isLessThan(System.currentTimeMillis() + 1_000);
		}
	}

	private void retain(String topic, String payload) {
		RawPublish publish = RawPublish.of((message) -> {
			message.topic = OWN + topic;
			message.retain = true;
			message.payload = Resp.raw(payload);
		});
		this.writer.mqtt().puback(this.writer.mqtt().send(publish));
	}

	@Test
	void watchesOnBrokerWithoutRetainedMessages() throws IOException {
		try (Mosquitto other = Mosquitto.start("allow_anonymous true", "retain_available false");
				StateStoreGateway gateway = gateway().port(other.port()).start();
				StoreClient client = StoreClient.connect(other.port(), "c")) {
			client.watch("k");
			client.call("SET", "k", "1");
			assertThat(Resp.text(client.notification("k"))).isEqualTo(SET.formatted("1"));
			assertThat(gateway.isServing()).isTrue();
		}
	}

	@Test
	void retainsWatchBeforeItIsConfirmed() {
		try (StateStoreGateway gateway = gateway().start()) {
			this.watcher.mqtt().subscribe(OWN + "observers/#");
			RawPublish request = this.watcher.request(Resp.command("KEYNOTIFY", "k"));
			this.watcher.mqtt().send(request);
			this.watcher.reply(request);
			assertThat(this.watcher.mqtt().messages((message) -> message.topic.equals(OWN + "observers/0/0")))
				.as("pages that came before the reply")
				.hasSize(1);
		}
	}

	@Test
	void keepsWatchBeyondLease() throws InterruptedException {
		try (StateStoreGateway gateway = gateway().watchLease(Duration.ofSeconds(1)).start()) {
			this.watcher.watch("k");
			// A client's lease is measured in real time.
			TimeUnit.MILLISECONDS.sleep(1_500);
			this.writer.call("SET", "k", "1");
			assertThat(notification("k")).isEqualTo(SET.formatted("1"));
		}
	}

	@Test
	void versionsIncreaseAcrossRestart() {
		Hlc before;
		try (StateStoreGateway gateway = gateway().wallClock(() -> System.currentTimeMillis() + 30_000).start()) {
			before = Hlc.of(this.writer.call("SET", "k", "1"));
		}
		try (StateStoreGateway gateway = gateway().start()) {
			assertThat(Hlc.of(this.writer.call("SET", "k", "2"))).isGreaterThan(before);
		}
	}

	@Test
	void startsAtSystemTimeIfStoreWasFarAhead() {
		try (StateStoreGateway gateway = gateway().wallClock(() -> System.currentTimeMillis() + 3_600_000).start()) {
			this.writer.call("SET", "k", "1");
		}
		try (StateStoreGateway gateway = gateway().start()) {
			long wall = Hlc.of(this.writer.call("SET", "k", "2")).wall();
			assertThat(wall).isLessThan(System.currentTimeMillis() + 60_000);
		}
	}

}
