package com.example.settings;

import java.time.Duration;

import ch.qos.logback.classic.Level;
import com.example.Instances;
import com.example.RecipeTest;
import com.example.RecipesApplication;
import io.statestore.client.StateStoreOperations;
import io.statestore.test.CapturedLog;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The recipe "Configuration that changes while the application runs" in
 * {@code docs/recipes.md}.
 */
@RecipeTest
@Isolated("captures the log")
class OvenSettingsTests {

	private static final OvenProperties DEFAULTS = new OvenProperties(180, Duration.ofSeconds(10));

	private static final OvenProperties HOT = new OvenProperties(220, Duration.ofSeconds(5));

	private static final OvenProperties COLD = new OvenProperties(20, Duration.ofMinutes(1));

	@Autowired
	private OvenSettings settings;

	@Autowired
	private StateStoreOperations store;

	@Autowired
	private StateStoreFaults faults;

	@Autowired
	private TestBroker broker;

	@Autowired
	private TestTime time;

	@BeforeEach
	void awaitDefaults() {
		awaitSettings(this.settings, DEFAULTS);
	}

	@Test
	void changesInAllInstances() {
		this.settings.change(HOT);
		try (ConfigurableApplicationContext context = Instances.start(RecipesApplication.class, "second",
				this.broker.port(), this.time, RecipeTest.PROPERTIES)) {
			OvenSettings second = context.getBean(OvenSettings.class);
			awaitSettings(second, HOT);
			second.change(COLD);
			awaitSettings(second, COLD);
			awaitSettings(this.settings, COLD);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"degrees\": 900, \"interval\": \"PT5S\"}", "{\"degrees\": 200}", "hot" })
	void keepsLastValueWhenNextValueIsInvalid(String invalid) {
		this.settings.change(HOT);
		awaitSettings(this.settings, HOT);
		try (CapturedLog log = new CapturedLog("io.statestore", Level.ERROR)) {
			this.store.set("settings/oven", invalid);
			Awaitility.await().until(() -> log.contains("oven-settings"));
		}
		assertThat(this.settings.current()).isEqualTo(HOT);
		this.settings.change(COLD);
		awaitSettings(this.settings, COLD);
	}

	@Test
	void writerCannotCreateInvalidValue() {
		assertThatIllegalArgumentException().isThrownBy(() -> new OvenProperties(900, Duration.ofSeconds(5)))
			.withMessage("degrees must be between 1 and 300");
	}

	@Test
	void returnsToDefaultsAfterDeletion() {
		this.settings.change(HOT);
		awaitSettings(this.settings, HOT);
		this.store.delete("settings/oven");
		awaitSettings(this.settings, DEFAULTS);
	}

	@Test
	void receivesMissedChangeAfterReconnect() {
		this.faults.notifications().ofKey("settings/oven").ofClient("first").next(1).cut();
		try (ConfigurableApplicationContext second = Instances.start(RecipesApplication.class, "second",
				this.broker.port(), this.time, RecipeTest.PROPERTIES)) {
			second.getBean(OvenSettings.class).change(HOT);
		}
		Awaitility.await().until(() -> {
			this.time.advance(Duration.ofMillis(100));
			return this.settings.current().equals(HOT);
		});
	}

	private static void awaitSettings(OvenSettings settings, OvenProperties expected) {
		Awaitility.await().until(() -> settings.current().equals(expected));
	}

}
