package io.statestore.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.cli.Cli.Result;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.AdministrationAccess;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.LockQuery;
import io.statestore.protocol.StoredLock;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Lists of locks from servers that do not answer administration requests. */
@Timeout(120)
class LockListingTests {

	@Test
	void showsHolderAndRenewalWithoutAuthorization() {
		try (StateStoreBroker closed = StateStoreBroker.builder().administration(AdministrationAccess.OFF).start();
				Session client = new Session(
						ConnectionOptions.builder().host("127.0.0.1").port(closed.port()).build())) {
			FencedLock lock = client.locks(LockOptions.DEFAULT.withHolderName("oven-1")).obtain("press");
			lock.lock();
			StateStoreTemplate template = client.template();
			template.set("foreign", "other program");

			Result result = Cli.on(closed.port()).run("locks", "-o", "json");

			assertThat(result.exitCode()).isZero();
			assertThat(result.err()).contains("does not authorize", "token, time left, and waiters are unknown");
			assertThat(result.out()).contains("\"key\":\"press\",\"holder\":\"oven-1\"", "\"token\":null")
				.doesNotContain("foreign");
			assertThat(Cli.on(closed.port()).run("locks", "--all", "-o", "json").out()).contains("foreign");
			lock.unlock();
		}
	}

	@Test
	void showsUserOfHolder() {
		try (StateStoreBroker broker = StateStoreBroker.builder().account("ada", "p").start();
				Session client = new Session(ConnectionOptions.builder()
					.host("127.0.0.1")
					.port(broker.port())
					.username("ada")
					.password("p")
					.build())) {
			FencedLock lock = client.locks(LockOptions.DEFAULT.withHolderName("oven-1")).obtain("press");
			lock.lock();
			Result result = Cli.on(broker.port())
				.with("STATESTORE_USERNAME", "ada")
				.with("STATESTORE_PASSWORD", "p")
				.run("locks", "-o", "json");
			assertThat(result.err()).isEmpty();
			assertThat(result.out()).contains("\"holder\":\"oven-1\"", "\"principal\":\"ada\"");
			lock.unlock();
		}
	}

	@Test
	void failsInsteadOfListingTwiceBetweenPages() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				Session client = new Session(
						ConnectionOptions.builder().host("127.0.0.1").port(broker.port()).build())) {
			FencedLock lock = client.locks(LockOptions.DEFAULT).obtain("press");
			lock.lock();
			StoredLock first = LockListing.lock(client.template().get(lock.key(), Bytes.class).orElseThrow());
			StateStoreRefusedException refusal = StateStoreRefusedException.of(ErrorReason.NOT_AUTHORIZED, "refused");
			List<StoredLock> listed = new ArrayList<>();
			LockListing listing = new LockListing() {

				@Override
				CompletableFuture<AdministrationPage<StoredLock>> page(Session session, LockQuery query) {
					return (query.token() != null) ? CompletableFuture.failedFuture(refusal)
							: CompletableFuture.completedFuture(new AdministrationPage<>(List.of(first), "next"));
				}

				@Override
				int run(Session session) {
					throw new IllegalStateException();
				}

			};

			assertThatExceptionOfType(StateStoreRefusedException.class)
				.isThrownBy(() -> listing.forEachLock(client, "*", false, listed::add))
				.isSameAs(refusal);
			assertThat(listed).containsExactly(first);
			lock.unlock();
		}
	}

	@Test
	@RequiresProgram("mosquitto")
	void showsHolderAndRenewalWithOtherServer() {
		try (Mosquitto other = Mosquitto.start();
				StateStoreGateway unanswering = StateStoreGateway.builder()
					.host("127.0.0.1")
					.port(other.port())
					.start();
				Session client = new Session(
						ConnectionOptions.builder().host("127.0.0.1").port(other.port()).build())) {
			assertThat(unanswering.isServing()).isTrue();
			FencedLock lock = client.locks(LockOptions.DEFAULT.withHolderName("oven-1")).obtain("press");
			lock.lock();

			Result result = Cli.on(other.port()).run("locks", "-o", "json");

			assertThat(result.exitCode()).isZero();
			assertThat(result.err()).contains("no matching subscribers", "are unknown");
			assertThat(result.out()).contains("\"key\":\"press\",\"holder\":\"oven-1\"");
			lock.unlock();
		}
	}

}
