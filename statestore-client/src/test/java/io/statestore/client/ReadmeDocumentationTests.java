package io.statestore.client;

import java.time.Duration;
import java.util.Optional;

import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.test.DocumentedSnippets;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Compiles and runs the snippets in the README. */
class ReadmeDocumentationTests {

	@Test
	void runsEverySnippet() throws Exception {
		DocumentedSnippets.assertAllIn("../README.md", 2, getClass());
		InMemoryStateStore invoker = new InMemoryStateStore();
		StateStoreTemplate store = new StateStoreTemplate(invoker,
				new JacksonValueConverter(JsonMapper.builder().build()));
		Oven oven = new Oven(store);
		oven.report(21.5);
		oven.prepare();
		assertThat(oven.setpoint()).isEqualTo(180.0);
		assertThat(store.get("ovens/1/temperature", Double.class)).map(Entry::value).contains(21.5);
		oven.setpointChanged(200.0);
		Recipes recipes = new Recipes(new StateStoreLockRegistry(store).obtain("ovens"));
		recipes.next();
		recipes.next();
		assertThat(store.get("ovens/1/recipe", Integer.class)).map(Entry::value).contains(2);
	}

	@Service
	static class Oven {

		private static final Logger logger = LoggerFactory.getLogger(Oven.class);

		private final StateStoreTemplate template;

		Oven(StateStoreTemplate template) {
			this.template = template;
		}

		void report(double celsius) {
			template.set("ovens/1/temperature", celsius, (spec) -> spec.expire(Duration.ofMinutes(1)));
		}

		void prepare() {
			template.set("ovens/1/setpoint", 180.0, (spec) -> spec.ifAbsent());
		}

		double setpoint() {
			return template.getValue("ovens/1/setpoint", Double.class).orElseThrow();
		}

		@StateStoreListener(keys = "ovens/1/setpoint", initial = true)
		void setpointChanged(Double celsius) {
			logger.info("Heating to {} °C", celsius);
		}

	}

	@Service
	class Recipes {

		private final FencedLock distributedLock;

		Recipes(FencedLock distributedLock) {
			this.distributedLock = distributedLock;
		}

		void next() throws InterruptedException {
			distributedLock.execute((held) -> held.update("ovens/1/recipe", Integer.class,
					(number) -> Optional.of(number.orElse(0) + 1)));
		}

	}

}
