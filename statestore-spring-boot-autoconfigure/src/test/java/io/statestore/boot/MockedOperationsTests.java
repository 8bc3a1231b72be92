package io.statestore.boot;

import java.util.Optional;

import io.statestore.boot.cache.StateStoreCacheAutoConfiguration;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.cache.StateStoreCacheManager;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.cache.Cache;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.mockito.BDDMockito.given;

/** An application whose template is replaced with a mock in a test. */
@SpringBootTest(webEnvironment = WebEnvironment.NONE,
		properties = { "statestore.port=1", "statestore.start-timeout=0s", "spring.application.name=oven",
				"statestore.leader.enabled=true", "statestore.cache.enabled=true", "statestore.key-prefix=bakery/" })
class MockedOperationsTests {

	@MockitoBean
	private StateStoreOperations store;

	@Autowired
	private Bakery bakery;

	@Autowired
	private ApplicationContext context;

	@Test
	void mockReplacesTemplate() {
		given(this.store.get("ovens/1", String.class))
			.willReturn(Optional.of(new Entry<>(Key.of("ovens/1"), "on", Version.parse("1:0:a"))));
		assertThat(this.bakery.state()).contains("on");
		assertThat(this.context.getBeanNamesForType(StateStoreOperations.class)).containsExactly("stateStoreTemplate");
	}

	@Test
	void locksAndElectionAreStillPresent() {
		assertThat(this.context.getBean(StateStoreLockRegistry.class).isRunning()).isTrue();
		assertThat(this.context.getBean(StateStoreLeaderInitiator.class).isRunning()).isTrue();
	}

	@Test
	void cachesUseTheirOwnTemplate() {
		assertThat(this.context.getBean(StateStoreCacheManager.class).getCache("recipes"))
			.extracting(Cache::getNativeCache, type(StateStoreTemplate.class))
			.returns("bakery/", StateStoreTemplate::keyPrefix)
			.isNotSameAs(this.store);
	}

	static class Bakery {

		private final StateStoreOperations store;

		Bakery(StateStoreOperations store) {
			this.store = store;
		}

		Optional<String> state() {
			return this.store.get("ovens/1", String.class).map(Entry::value);
		}

		@StateStoreListener(keys = "ovens/1")
		void changed(String state) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	@ImportAutoConfiguration({ EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class,
			StateStoreLockAutoConfiguration.class, StateStoreLeaderAutoConfiguration.class,
			StateStoreCacheAutoConfiguration.class })
	@Import(Bakery.class)
	static class Application {

	}

}
