package io.statestore.boot;

import java.util.List;
import java.util.Map;

import io.statestore.boot.dafka.DafkaAutoConfiguration;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.history.StateHistory;
import io.statestore.client.leader.LeaderOnly;
import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.env.MapPropertySource;
import org.springframework.javapoet.ClassName;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/** Ahead-of-time processing of an application that uses all features. */
class AheadOfTimeTests {

	private final InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();

	private final DefaultGenerationContext generation = new DefaultGenerationContext(
			new ClassNameGenerator(ClassName.get(Oven.class)), this.files);

	@Test
	void generatesBeanDefinitionsAndProxiesWithoutCreatingBeans() throws Exception {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("test", Map.of("statestore.embedded.enabled", "true",
						"statestore.leader.enabled", "true", "statestore.leader.role", "oven")));
			context.register(JacksonAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
					StateStoreAutoConfiguration.class, StateStoreLockAutoConfiguration.class,
					StateStoreLeaderAutoConfiguration.class, StateStoreIntegrationAutoConfiguration.class,
					DafkaAutoConfiguration.class, Scheduling.class, Oven.class);
			new ApplicationContextAotGenerator().processAheadOfTime(context, this.generation);
		}
		this.generation.writeGeneratedContent();
		assertThat(this.files.getGeneratedFiles(Kind.SOURCE).keySet())
			.anySatisfy((file) -> assertThat(file).endsWith("Oven__BeanFactoryRegistrations.java"));
		assertThat(sources()).contains(List.of("stateStoreTemplate", "stateStoreConnection", "distributedLock",
				"stateStoreLeaderInitiator", "stateStoreBroker", "stateHistory", "stateStoreLockRegistry",
				"stateStoreListenerRegistry", "setFallback(true)"));
		// The proxy is generated only once in a JVM.
		assertThat(this.files.getGeneratedFiles(Kind.CLASS).keySet())
			.anySatisfy((file) -> assertThat(file).contains("Oven$$SpringCGLIB$$"));
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Oven.class.getDeclaredMethod("bake")))
			.accepts(this.generation.getRuntimeHints());
	}

	private String sources() throws Exception {
		StringBuilder sources = new StringBuilder();
		for (String file : this.files.getGeneratedFiles(Kind.SOURCE).keySet()) {
			sources.append(this.files.getGeneratedFileContent(Kind.SOURCE, file));
		}
		return sources.toString();
	}

	@EnableScheduling
	static class Scheduling {

	}

	static class Oven {

		Oven(StateStoreOperations store, StateHistory history) {
			assertThat(store).isNotNull();
			assertThat(history).isNotNull();
		}

		@StateStoreListener(keys = "temperature")
		void changed(Double celsius) {
		}

		@LeaderOnly
		@Scheduled(fixedRate = 1)
		void bake() {
		}

	}

}
