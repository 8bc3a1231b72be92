package com.example.flags;

import java.time.Duration;

import com.example.Instances;
import com.example.RecipeTest;
import com.example.RecipesApplication;
import io.statestore.client.StateStoreOperations;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;
import io.statestore.testing.broker.TestClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** The recipe "Feature flags" in {@code docs/recipes.md}. */
@RecipeTest
class FlagsTests {

	private static final String FALLBACK = "10 loaves, slow cooling";

	@Autowired
	private Oven oven;

	@Autowired
	private StateStoreOperations store;

	@Autowired
	private StateStoreFaults faults;

	@Autowired
	private TestBroker broker;

	@Autowired
	private TestTime time;

	@BeforeEach
	void awaitFallback() {
		awaitBaking(this.oven, FALLBACK);
	}

	@Test
	void switchesAllInstances() {
		this.store.set("flags/batch-size", "12");
		try (ConfigurableApplicationContext second = Instances.start(RecipesApplication.class, "second",
				this.broker.port(), this.time, RecipeTest.PROPERTIES)) {
			awaitBaking(second.getBean(Oven.class), "12 loaves, slow cooling");
			this.store.set("flags/fast-cooling", "on");
			awaitBaking(this.oven, "12 loaves, fast cooling");
			awaitBaking(second.getBean(Oven.class), "12 loaves, fast cooling");
			this.store.delete("flags/batch-size");
			awaitBaking(this.oven, "10 loaves, fast cooling");
			awaitBaking(second.getBean(Oven.class), "10 loaves, fast cooling");
		}
	}

	@Test
	void keepsValueWhenNextValueIsInvalid() {
		this.store.set("flags/batch-size", "12");
		awaitBaking(this.oven, "12 loaves, slow cooling");
		this.store.set("flags/batch-size", "a dozen");
		this.store.set("flags/fast-cooling", "perhaps");
		this.store.set("flags/fast-cooling", "on");
		awaitBaking(this.oven, "12 loaves, fast cooling");
		this.store.set("flags/batch-size", "13");
		awaitBaking(this.oven, "13 loaves, fast cooling");
	}

	@Test
	void keepsValueDuringOutage() {
		this.store.set("flags/batch-size", "12");
		awaitBaking(this.oven, "12 loaves, slow cooling");
		this.faults.stopBroker();
		assertThat(this.oven.bake()).isEqualTo("12 loaves, slow cooling");
		this.faults.startBroker();
		try (TestClient operator = this.broker.connect("operator")) {
			operator.operations().set("flags/batch-size", "13");
		}
		Awaitility.await().until(() -> {
			this.time.advance(Duration.ofMillis(100));
			return this.oven.bake().equals("13 loaves, slow cooling");
		});
	}

	private void awaitBaking(Oven oven, String expected) {
		Awaitility.await().until(() -> oven.bake().equals(expected));
	}

}
