package io.statestore.sample;

import java.util.Map;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.sample.press.PressApplication;
import io.statestore.sample.room.ControlRoomApplication;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The choice of the application, and presses without a control room. */
class SampleApplicationTests {

	@Test
	void runsControlRoomUnlessThereIsName() {
		assertThat(SampleApplication.create().getAllSources()).containsExactly(ControlRoomApplication.class);
		assertThat(SampleApplication.create("--sample.name=press-3").getAllSources())
			.containsExactly(PressApplication.class);
	}

	@Test
	void keepsDataInStateDirectoryOfUser() {
		new ApplicationContextRunner().withInitializer(new ConfigDataApplicationContextInitializer())
			.withPropertyValues("XDG_STATE_HOME=/state", "spring.profiles.active=room")
			.run((context) -> assertThat(context.getEnvironment().getProperty("sample.directory"))
				.isEqualTo("/state/statestore-sample"));
	}

	@Test
	void refusesOtherNames() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			assertThatThrownBy(() -> press(broker, "batch")).rootCause()
				.hasMessageContaining("sample.name")
				.hasMessageContaining("'batch'")
				.hasMessageContaining("such as press-3");
		}
	}

	@Test
	void pressesShareReadingsAndLeader() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				ConfigurableApplicationContext first = press(broker, "press-1");
				ConfigurableApplicationContext second = press(broker, "press-2")) {
			awaitReading(first, "press-2");
			awaitReading(second, "press-1");
			Awaitility.await().until(() -> isLeader(first) != isLeader(second));
			ConfigurableApplicationContext successor = isLeader(first) ? second : first;
			((successor == first) ? second : first).close();
			Awaitility.await().until(() -> isLeader(successor));
		}
	}

	private static ConfigurableApplicationContext press(StateStoreBroker broker, String name) {
		String[] arguments = { "--sample.name=" + name, "--statestore.port=" + broker.port() };
		return SampleApplication.create(arguments).run(arguments);
	}

	private static void awaitReading(ConfigurableApplicationContext press, String name) {
		StateStoreOperations store = press.getBean(StateStoreOperations.class);
		Awaitility.await()
			.until(() -> store.getValue("line/" + name, Map.class)
				.filter((reading) -> reading.get("temperature") instanceof Double)
				.isPresent());
	}

	private static boolean isLeader(ConfigurableApplicationContext press) {
		return press.getBean(StateStoreLeaderInitiator.class).isLeader();
	}

}
