package io.statestore.client;

import java.util.Optional;

import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.test.DocumentedSnippets;
import org.junit.jupiter.api.Test;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
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
		oven.preheat();
		assertThat(store.getValue("ovens/1/setpoint", Double.class)).contains(180.0);
		oven.setpointChanged(Key.of("ovens/1/setpoint"), 200.0);
		Recipes recipes = new Recipes(new StateStoreLockRegistry(store).obtain("ovens"));
		recipes.next();
		recipes.next();
		assertThat(store.get("ovens/1/recipe", Integer.class)).map(Entry::value).contains(2);
	}

	@Component
	static class Oven {

		private final StateStoreTemplate store;

		Oven(StateStoreTemplate store) {
			this.store = store;
		}

		@EventListener(ContextRefreshedEvent.class)
		void preheat() {
			store.set("ovens/1/setpoint", 180.0, (spec) -> spec.ifAbsent());
		}

		@StateStoreListener(keys = "ovens/*/setpoint", initial = true)
		void setpointChanged(Key key, Double celsius) {
			System.out.println(key + " is " + celsius + " °C");
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
