package io.statestore.broker.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.security.PasswordFile;
import io.statestore.broker.security.PasswordHash;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Many logins from one address, most of which fail. */
@Timeout(120)
class LoginFloodTests {

	private static final int BAD_LOGIN = 0x86;

	@TempDir
	private Path directory;

	private Path users(int iterations, String... names) throws IOException {
		return Files.writeString(this.directory.resolve("users"),
				Stream.of(names)
					.map((name) -> name + ':' + PasswordHash.of("password of " + name, iterations).text() + '\n')
					.collect(Collectors.joining()));
	}

	private StateStoreBroker start(int iterations, String... names) throws IOException {
		return StateStoreBroker.builder()
			.authenticator(PasswordFile.of(users(iterations, names)))
			.maxConnectionsPerAddress(40_000)
			.start();
	}

	private static int reason(int port, RawConnect connect) {
		try (RawMqttConnection client = new RawMqttConnection(port)) {
			return client.connect(connect).reason();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Sends failing logins, many of them simultaneously.
	 * @return the number of refusals by reason code
	 */
	private static Map<Integer, Integer> flood(int port, int logins, int atOnce, IntFunction<RawConnect> login) {
		Map<Integer, Integer> reasons = new HashMap<>();
		List<RawMqttConnection> waiting = new ArrayList<>();
		try {
			for (int sent = 0; sent < logins; sent += waiting.size()) {
				waiting.clear();
				for (int i = sent; i < Math.min(logins, sent + atOnce); i++) {
					RawMqttConnection client = new RawMqttConnection(port);
					waiting.add(client);
					client.send(login.apply(i));
				}
				for (RawMqttConnection client : waiting) {
					reasons.merge(client.receiveReason(PacketType.CONNACK), 1, Integer::sum);
					client.close();
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return reasons;
	}

	/**
	 * Runs a task on a separate thread, because the common pool has only one thread on
	 * two processors.
	 */
	private static <T> CompletableFuture<T> onOwnThread(Supplier<T> task) {
		return CompletableFuture.supplyAsync(task, (run) -> new Thread(run).start());
	}

	@Tag("long")
	@Tag("nightly")
	@Test
	void servesKnownUsersDuringTenThousandFailures() throws Exception {
		try (StateStoreBroker broker = start(2_000, "ada", "bob");
				StoreClient ada = TestLogins.client(broker.port(), "ada.works")) {
			assertThat(reason(broker.port(), TestLogins.connect("bob.first"))).isZero();
			AtomicBoolean ended = new AtomicBoolean();
			CompletableFuture<Map<Integer, Integer>> flood = onOwnThread(
					() -> flood(broker.port(), 9_600, 600, (i) -> RawConnect.of("c" + i).login("unknown" + i, "wrong")))
				.whenComplete((result, failure) -> ended.set(true));
			// These refusals take longer with each failure.
			CompletableFuture<Map<Integer, Integer>> guesses = onOwnThread(() -> flood(broker.port(), 400, 400,
					(i) -> RawConnect.of("g" + i).login((i % 2 == 0) ? "ada" : "bob", "wrong " + i)));
			int works = 0;
			while (!ended.get()) {
				assertThat(Resp.text(ada.call("SET", "k", "" + works))).isEqualTo("+OK⏎");
				assertThat(reason(broker.port(), TestLogins.connect("bob.again" + works))).isZero();
				works++;
			}
			assertThat(flood.get()).isEqualTo(Map.of(BAD_LOGIN, 9_600));
			assertThat(guesses.get()).isEqualTo(Map.of(BAD_LOGIN, 400));
			assertThat(works).isPositive();
			assertThat(broker.statistics().security().refusedLogins()).isEqualTo(10_000);
			assertThat(reason(broker.port(), TestLogins.connect("ada.after"))).isZero();
		}
	}

	@Test
	void wrongPasswordFloodDoesNotLockOutUser() throws Exception {
		try (StateStoreBroker broker = start(100, "ada")) {
			assertThat(reason(broker.port(), TestLogins.connect("ada.before"))).isZero();
			List<RawMqttConnection> waiting = new ArrayList<>();
			for (int i = 0; i < 500; i++) {
				RawMqttConnection client = new RawMqttConnection(broker.port());
				waiting.add(client);
				client.send(RawConnect.of("c" + i).login("ada", "wrong " + i));
			}
			for (int i = 0; i < 20; i++) {
				assertThat(reason(broker.port(), TestLogins.connect("ada.during" + i))).isZero();
			}
			for (RawMqttConnection client : waiting) {
				client.close();
			}
		}
	}

	@Test
	void verifiesSharedPasswordOnceForManyClients() throws Exception {
		// Verifying each login takes longer than the broker permits.
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.authenticator(PasswordFile.of(users(20_000, "plant")))
			.start()) {
			List<RawMqttConnection> clients = new ArrayList<>();
			for (int i = 0; i < 200; i++) {
				RawMqttConnection client = new RawMqttConnection(broker.port());
				clients.add(client);
				client.send(TestLogins.connect("plant.c" + i));
			}
			for (RawMqttConnection client : clients) {
				assertThat(client.receiveReason(PacketType.CONNACK)).isZero();
				client.close();
			}
		}
	}

	@Test
	void answersUnknownAndKnownNamesAlike() throws Exception {
		try (StateStoreBroker broker = start(100, "ada", "bob", "carl")) {
			List<RawConnect> logins = List.of(RawConnect.of("1").login("ada", "wrong"),
					RawConnect.of("2").login("bob", ""), RawConnect.of("3").login("carl", null),
					RawConnect.of("4").login("unknown", "wrong"), RawConnect.of("5").login("dora", ""),
					RawConnect.of("6").login("emil", null));
			assertThat(flood(broker.port(), 6, 6, logins::get)).isEqualTo(Map.of(BAD_LOGIN, 6));
		}
	}

}
