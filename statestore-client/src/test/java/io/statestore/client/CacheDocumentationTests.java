package io.statestore.client;

import java.time.Duration;

import io.statestore.client.cache.CacheOptions;
import io.statestore.client.cache.StateStoreCacheManager;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.metadata.StateStoreMetadataStore;
import io.statestore.test.DocumentedSnippets;
import org.junit.jupiter.api.Test;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Service;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Compiles and runs the snippets in {@code docs/cache.md}. */
class CacheDocumentationTests {

	private static int loads;

	private final StateStoreTemplate template = new StateStoreTemplate(new InMemoryStateStore());

	@Test
	void containsEverySnippet() throws Exception {
		DocumentedSnippets.assertAllIn("cache.md", 3, getClass());
	}

	@Test
	void cachesRecipeUntilItChanges() {
		StateStoreCacheManager manager = StateStoreCacheManager.builder(this.template)
			.defaults(CacheOptions.DEFAULT.withValues(new JacksonValueConverter(JsonMapper.builder().build()),
					Recipe.class))
			.build();
		loads = 0;
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(CacheManager.class, () -> manager);
			context.register(Caching.class, Recipes.class);
			context.refresh();
			Recipes recipes = context.getBean(Recipes.class);
			recipes.find("press 7");
			assertThat(recipes.find("press 7").machine()).isEqualTo("press 7");
			assertThat(loads).isOne();
			recipes.changed("press 7");
			recipes.find("press 7");
			assertThat(loads).isEqualTo(2);
		}
	}

	@Test
	void createsManagerAndMetadataStore() {
		assertThat(manager(this.template).getCacheNames()).containsExactly("orders");
		StateStoreMetadataStore store = metadataStore(this.template, new StateStoreLockRegistry(this.template));
		assertThat(store.putIfAbsent("key", "value")).isNull();
		assertThat(store.putIfAbsent("key", "value")).isEqualTo("value");
	}

	private static Recipe loadFromDatabase(String machine) {
		loads++;
		return new Recipe(machine, 180);
	}

	private static StateStoreCacheManager manager(StateStoreTemplate template) {
		StateStoreCacheManager manager = StateStoreCacheManager.builder(template)
			.defaults(CacheOptions.DEFAULT.withExpiry(Duration.ofMinutes(10)))
			.cache("orders", CacheOptions.DEFAULT.withNearCacheSize(500))
			.build();
		return manager;
	}

	@Bean
	StateStoreMetadataStore metadataStore(StateStoreTemplate template, StateStoreLockRegistry locks) {
		return new StateStoreMetadataStore(template, locks);
	}

	@Configuration
	@EnableCaching
	static class Caching {

	}

	@Service
	static class Recipes {

		@Cacheable("recipes")
		public Recipe find(String machine) {
			return loadFromDatabase(machine);
		}

		@CacheEvict("recipes")
		public void changed(String machine) {
		}

	}

	record Recipe(String machine, double temperature) {
	}

}
