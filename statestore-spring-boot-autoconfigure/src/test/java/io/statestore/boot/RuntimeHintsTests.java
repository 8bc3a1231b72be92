package io.statestore.boot;

import io.statestore.client.KeyChange;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.leader.LeaderOnly;
import io.statestore.client.lock.annotation.Locked;
import io.statestore.test.DocumentedSnippets;
import org.eclipse.paho.mqttv5.client.logging.JSR47Logger;
import org.eclipse.paho.mqttv5.client.spi.NetworkModuleFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/** Reflection and resource hints for native images. */
class RuntimeHintsTests {

	private static final RuntimeHints HINTS = new RuntimeHints();

	@BeforeAll
	static void registerHints() {
		ClassLoader classLoader = RuntimeHintsTests.class.getClassLoader();
		SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories", classLoader)
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar.getClass().getName().startsWith("io.statestore."))
			.forEach((registrar) -> registrar.registerHints(HINTS, classLoader));
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(HINTS, Oven.class, StoredTypes.class);
	}

	@Test
	void classesLoadedByPahoHaveHints() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(JSR47Logger.class.getConstructor()))
			.accepts(HINTS);
		assertThat(RuntimeHintsPredicates.resource().forBundle("org.eclipse.paho.mqttv5.common.nls.messages"))
			.accepts(HINTS);
		assertThat(RuntimeHintsPredicates.resource()
			.forResource("META-INF/services/" + NetworkModuleFactory.class.getName())).accepts(HINTS);
	}

	@Test
	void listenerMethodsAndTheirValuesHaveHints() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(Oven.class.getDeclaredMethod("changed", Temperature.class))).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(Oven.class.getDeclaredMethod("changed", KeyChange.class))).accepts(HINTS);
		assertThat(
				RuntimeHintsPredicates.reflection().onMethodInvocation(Temperature.class.getDeclaredMethod("celsius")))
			.accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Humidity.class.getDeclaredMethod("percent")))
			.accepts(HINTS);
	}

	@Test
	void leaderMethodsHaveHints() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Oven.class.getDeclaredMethod("bake")))
			.accepts(HINTS);
	}

	@Test
	void lockedMethodsAndTheirNamesHaveHints() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Oven.class.getDeclaredMethod("clean")))
			.accepts(HINTS);
		Class<?> root = Class.forName("io.statestore.client.lock.annotation.LockedCall");
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(root.getMethod("methodName"))).accepts(HINTS);
	}

	@Test
	void templateTypesHaveHintsAsDocumented() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Reading.class.getDeclaredMethod("percent")))
			.accepts(HINTS);
	}

	@Test
	void everyDocumentedSnippetIsTested() throws Exception {
		DocumentedSnippets.assertAllIn("spring-boot.md", 10, getClass(), StateStoreAutoConfigurationTests.class,
				SchedulerConfiguration.class, EmbeddedStateStoreAutoConfigurationTests.class, SensorFlows.class,
				ReadingFlows.class, SpringIntegrationDocumentationTests.class, SeveralBrokersTests.class);
	}

	@Configuration(proxyBeanMethods = false)
	@RegisterReflectionForBinding(Reading.class)
	static class StoredTypes {

	}

	record Reading(double percent) {
	}

	record Temperature(double celsius) {
	}

	record Humidity(double percent) {
	}

	static class Oven {

		@StateStoreListener(keys = "temperature")
		void changed(@Nullable Temperature temperature) {
		}

		@StateStoreListener(keys = "humidity")
		void changed(KeyChange<Humidity> change) {
		}

		@LeaderOnly
		void bake() {
		}

		@Locked("oven")
		void clean() {
		}

	}

}
