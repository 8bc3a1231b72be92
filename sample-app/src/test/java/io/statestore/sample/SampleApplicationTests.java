package io.statestore.sample;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.protocol.Version;
import io.statestore.sample.press.PressApplication;
import io.statestore.sample.room.ControlRoomApplication;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;
import tools.jackson.databind.JsonNode;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Selection of the application, and presses without a control room. */
@TestInstance(Lifecycle.PER_CLASS)
@TestMethodOrder(OrderAnnotation.class)
class SampleApplicationTests {

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final ConfigurableApplicationContext first = press("press-1");

	private final ConfigurableApplicationContext second = press("press-2");

	@AfterAll
	void close() {
		this.first.close();
		this.second.close();
		this.broker.close();
	}

	@Test
	void runsControlRoomUnlessNameIsSet() {
		assertThat(SampleApplication.create().getAllSources()).containsExactly(ControlRoomApplication.class);
		assertThat(SampleApplication.create("--sample.name=press-3").getAllSources())
			.containsExactly(PressApplication.class);
	}

	@Test
	void refusesInvalidNames() {
		assertThatThrownBy(() -> press("batch")).rootCause()
			.hasMessageContaining("sample.name")
			.hasMessageContaining("'batch'")
			.hasMessageContaining("such as press-3");
	}

	@Test
	void storeRefusesBatchFromResignedLeader() {
		StateStoreOperations store = this.first.getBean(StateStoreOperations.class);
		await().until(() -> store.exists("line/batch") && isLeader(this.first) != isLeader(this.second));
		JsonNode rejected = await().until(() -> rejectionAfterResignation(this.first), Objects::nonNull);
		assertThat(rejected.path("count").asInt()).isPositive();
		assertThat(rejected.path("newerPress").asString()).isNotEqualTo(rejected.path("press").asString());
		assertThat(Version.parse(rejected.path("newerToken").asString()))
			.isGreaterThan(Version.parse(rejected.path("token").asString()));
	}

	@Test
	@Order(Integer.MAX_VALUE)
	void pressesShareReadingsAndLeader() {
		awaitReading(this.first, "press-2");
		awaitReading(this.second, "press-1");
		await().until(() -> isLeader(this.first) != isLeader(this.second));
		ConfigurableApplicationContext successor = isLeader(this.first) ? this.second : this.first;
		((successor == this.first) ? this.second : this.first).close();
		await().until(() -> isLeader(successor));
	}

	/**
	 * Returns the rejected write; {@code null} if the leader resigned between two
	 * batches.
	 */
	private static @Nullable JsonNode rejectionAfterResignation(ConfigurableApplicationContext press) {
		press.getBean(StateStoreLockRegistry.class).forceRelease("line-leader");
		try {
			return Awaitility.await()
				.atMost(Duration.ofSeconds(3))
				.until(() -> press.getBean(StateStoreOperations.class).getValue("line/rejected", JsonNode.class),
						Optional::isPresent)
				.orElseThrow();
		}
		catch (ConditionTimeoutException ex) {
			return null;
		}
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60));
	}

	private ConfigurableApplicationContext press(String name) {
		String[] arguments = { "--sample.name=" + name, "--statestore.port=" + this.broker.port() };
		return SampleApplication.create(arguments).run(arguments);
	}

	private static void awaitReading(ConfigurableApplicationContext press, String name) {
		StateStoreOperations store = press.getBean(StateStoreOperations.class);
		await().until(() -> store.getValue("line/" + name, Map.class)
			.filter((reading) -> reading.get("temperature") instanceof Double)
			.isPresent());
	}

	private static boolean isLeader(ConfigurableApplicationContext press) {
		return press.getBean(StateStoreLeaderInitiator.class).isLeader();
	}

}
