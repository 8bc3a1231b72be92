package io.statestore.boot;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.lock.annotation.Locked;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Key prefix and default expiry of an application, with the embedded broker. */
class KeyPrefixTests {

	@Test
	void prefixAppliesToAllApplicationKeys() {
		new ApplicationContextRunner()
			.withPropertyValues("statestore.embedded.enabled=true", "statestore.key-prefix=line-1/",
					"statestore.lock.key-prefix=locks/", "statestore.default-expiry=1h",
					"statestore.leader.enabled=true", "statestore.leader.role=oven")
			.withConfiguration(
					AutoConfigurations.of(EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class,
							StateStoreLockAutoConfiguration.class, StateStoreLeaderAutoConfiguration.class))
			.withBean(Press.class)
			.run((context) -> {
				StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
				StateStoreTemplate plain = new StateStoreTemplate(context.getBean(CommandInvoker.class));
				Press press = context.getBean(Press.class);
				press.write("7");
				assertThat(plain.getValue("line-1/count", String.class)).contains("7");
				assertThat(template.getValue("count", String.class)).contains("7");
				plain.set("line-1/temperature", "180");
				await("the change").until(() -> press.changes().contains(Key.of("temperature")));
				context.getBean(StateStoreAsyncOperations.class).set("async", "value").join();
				await("leadership").until(context.getBean(StateStoreLeaderInitiator.class)::isLeader);
				assertThat(plain.scan("*").stream().map(Key::toString)).containsExactlyInAnyOrder("line-1/async",
						"line-1/count", "line-1/temperature", "line-1/locks/oven");
				assertThat(template.scan("*").stream().map(Key::toString)).containsExactlyInAnyOrder("async", "count",
						"temperature", "locks/oven");
			});
	}

	static class Press {

		private final List<Key> changes = new CopyOnWriteArrayList<>();

		private final StateStoreLockRegistry locks;

		private final StateStoreTemplate template;

		Press(StateStoreLockRegistry locks, StateStoreTemplate template) {
			this.locks = locks;
			this.template = template;
		}

		@Locked("press-#{#count}")
		void write(String count) {
			assertThat(this.template.get("locks/press-" + count, String.class)).isPresent();
			this.locks.currentLock().operations().set("count", count);
		}

		List<Key> changes() {
			return this.changes;
		}

		@StateStoreListener(keys = "temperature")
		void changed(KeyChange<String> change) {
			this.changes.add(change.key());
		}

	}

}
