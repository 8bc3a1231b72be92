package io.statestore.listener;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Listeners of beans that are created while the registry is running. */
@Timeout(60)
class ListenerBeanPostProcessorTests {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private final Registry registry = new Registry();

	@BeforeEach
	void start() {
		this.context.registerBean(Registry.class, () -> this.registry);
		this.context.registerBean(ListenerBeanPostProcessor.class, () -> new ListenerBeanPostProcessor<>(Listener.class,
				() -> this.registry, this.context.getBeanFactory()));
		this.context.registerBean("lazy", Failing.class, (definition) -> definition.setLazyInit(true));
		this.context.registerBean("failing", Failing.class,
				(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE));
		this.context.registerBean("other", Other.class,
				(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE));
		this.context.refresh();
	}

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void removesAllListenersOfFailedLazySingleton() {
		this.registry.first.countDown();
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> this.context.getBean("lazy"))
			.withMessageContaining("no second");
		assertThat(this.registry.ids()).isEmpty();
		assertThat(this.registry.running).isEmpty();
	}

	@Test
	void beanFailureDoesNotAffectOtherThread() throws InterruptedException {
		CompletableFuture<Object> failing = CompletableFuture.supplyAsync(() -> this.context.getBean("failing"));
		assertThat(this.registry.starting.await(30, TimeUnit.SECONDS)).isTrue();
		Object other = this.context.getBean("other");
		assertThat(this.registry.running).containsExactlyInAnyOrder("failing.first", "other.listen");
		this.registry.first.countDown();
		assertThat(failing).failsWithin(Duration.ofSeconds(30)).withThrowableThat().withMessageContaining("no second");
		assertThat(this.registry.ids()).containsExactly("other.listen");
		this.context.getBeanFactory().destroyBean("other", other);
		assertThat(this.registry.ids()).isEmpty();
	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@Repeatable(Listeners.class)
	@interface Listener {

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@interface Listeners {

		Listener[] value();

	}

	static class Failing {

		@Listener
		void first() {
		}

		@Listener
		void second() {
		}

	}

	static class Other {

		@Listener
		void listen() {
		}

	}

	/** Registry in which first methods wait for a latch, and second ones fail. */
	private static final class Registry extends ListenerRegistrySupport<Listener, Endpoint> {

		private final CountDownLatch starting = new CountDownLatch(1);

		private final CountDownLatch first = new CountDownLatch(1);

		private final Set<String> running = ConcurrentHashMap.newKeySet();

		private Registry() {
			super(new Settings("test", true, Duration.ofSeconds(30), Duration.ofSeconds(30), System::nanoTime));
		}

		@Override
		protected Function<AnnotatedMethod<Listener>, Endpoint> endpointFactory(ConfigurableBeanFactory beanFactory,
				ListenerAttributes attributes) {
			return (method) -> new Endpoint(attributes.id(method, ""));
		}

		@Override
		protected Completion start(Endpoint endpoint, BooleanSupplier toRun) {
			if (endpoint.id().endsWith("second")) {
				throw new IllegalStateException("no second");
			}
			this.running.add(endpoint.id());
			if (!endpoint.id().endsWith("first")) {
				return Completion.DONE;
			}
			this.starting.countDown();
			return (remaining) -> assertThat(this.first.await(remaining.get().toNanos(), TimeUnit.NANOSECONDS))
				.isTrue();
		}

		@Override
		protected Completion stop(Endpoint endpoint, BooleanSupplier toRun) {
			this.running.remove(endpoint.id());
			return Completion.DONE;
		}

	}

	private static final class Endpoint extends ListenerEndpointSupport {

		private Endpoint(String id) {
			super(id, true);
		}

		@Override
		protected boolean isCalledBySelf() {
			return false;
		}

	}

}
