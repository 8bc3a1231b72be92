package io.statestore.testing.boot;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Objects;

import ch.qos.logback.classic.Level;
import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.test.CapturedLog;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.annotation.DirtiesContext.MethodMode;
import org.springframework.test.context.TestContextManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Contexts of several test classes in one JVM. */
@Isolated("captures the log")
class EmbeddedContextsTests {

	@Test
	void equalAnnotationsShareContextAndBroker() {
		ApplicationContext first = context(First.class);
		assertThat(context(Same.class)).isSameAs(first);
		assertThat(context(WithoutReset.class)).isSameAs(first);
	}

	@Test
	void differentAnnotationsHaveSeparateBrokers() {
		ApplicationContext first = context(First.class);
		ApplicationContext other = context(WithTime.class);
		assertThat(other.getBean(TestBroker.class).port()).isNotEqualTo(first.getBean(TestBroker.class).port());
		other.getBean(StateStoreTemplate.class).set("press", "180");
		assertThat(first.getBean(StateStoreTemplate.class).exists("press")).isFalse();
	}

	@Test
	void failedContextStopsItsBroker() {
		assertThatIllegalStateException().isThrownBy(() -> context(Failing.class));
		TestBroker broker = Objects.requireNonNull(FailingApplication.broker);
		try (TestBroker next = TestBroker.builder().port(broker.port()).start()) {
			assertThat(next.port()).isEqualTo(broker.port());
		}
	}

	@Test
	void refusesResetDuringAnotherTest() throws Exception {
		Method method = First.class.getDeclaredMethod("test");
		TestContextManager running = prepare(new First());
		running.beforeTestMethod(new First(), method);
		try {
			TestContextManager second = prepare(new Same());
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> second.beforeTestMethod(new Same(), method))
				.withMessageContaining("@EmbeddedStateStore(reset = false)");
		}
		finally {
			running.afterTestMethod(running.getTestContext().getTestInstance(), method, null);
		}
	}

	@Test
	void refusesResetDuringTestWithoutReset() throws Exception {
		Method method = First.class.getDeclaredMethod("test");
		TestContextManager running = prepare(new WithoutReset());
		running.beforeTestMethod(new WithoutReset(), method);
		TestContextManager second = prepare(new First());
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> second.beforeTestMethod(new First(), method))
			.withMessageContaining("@EmbeddedStateStore(reset = false)");
		running.afterTestMethod(new WithoutReset(), method, null);
		second.beforeTestMethod(new First(), method);
		second.afterTestMethod(new First(), method, null);
	}

	@Test
	void rebuiltContextKeepsItsStartupContent() throws Exception {
		Method method = Rebuilt.class.getDeclaredMethod("test");
		TestContextManager manager = prepare(new Rebuilt());
		ApplicationContext first = manager.getTestContext().getApplicationContext();
		manager.beforeTestMethod(new Rebuilt(), method);
		ApplicationContext second = manager.getTestContext().getApplicationContext();
		assertThat(second).isNotSameAs(first);
		assertThat(second.getBean(StateStoreTemplate.class).exists("settings")).isTrue();
		manager.afterTestMethod(new Rebuilt(), method, null);
	}

	@Test
	void closedContextIsNotStartedAgainAfterTest() throws Exception {
		Method method = ClosedAfterTest.class.getDeclaredMethod("test");
		TestContextManager manager = prepare(new ClosedAfterTest());
		manager.beforeTestMethod(new ClosedAfterTest(), method);
		manager.afterTestMethod(new ClosedAfterTest(), method, null);
		assertThat(manager.getTestContext().hasApplicationContext()).isFalse();
	}

	@Test
	void closesWithoutWaitForDroppedRequest() {
		ConfigurableApplicationContext context = (ConfigurableApplicationContext) context(WithControlledTime.class);
		context.getBean(StateStoreLockRegistry.class).obtain("press").lock();
		TestTime time = context.getBean(TestTime.class);
		time.advance(Duration.ofMinutes(1));
		context.getBean(StateStoreFaults.class).requests().ofKey("press").drop();
		time.advance(Duration.ofSeconds(31));
		try (CapturedLog log = new CapturedLog("io.statestore.client.lock.StateStoreLockRegistry", Level.WARN)) {
			context.close();
			assertThat(log.contains("has not confirmed")).isFalse();
		}
	}

	@Test
	void controlledTimeReplacesApplicationResources() {
		ApplicationContext context = context(WithOwnResources.class);
		assertThat(context.getBean(ClientResources.class).time()).isSameAs(context.getBean(TestTime.class));
	}

	private static ApplicationContext context(Class<?> test) {
		return new TestContextManager(test).getTestContext().getApplicationContext();
	}

	private static TestContextManager prepare(Object test) throws Exception {
		TestContextManager manager = new TestContextManager(test.getClass());
		manager.prepareTestInstance(test);
		return manager;
	}

	@SpringBootTest(classes = Application.class)
	@EmbeddedStateStore
	static class First {

		void test() {
		}

	}

	@SpringBootTest(classes = Application.class)
	@EmbeddedStateStore
	static class Same {

	}

	@SpringBootTest(classes = Application.class)
	@EmbeddedStateStore(reset = false)
	static class WithoutReset {

	}

	@SpringBootTest(classes = Application.class)
	@EmbeddedStateStore(controlTime = true)
	static class WithTime {

	}

	@SpringBootTest(classes = Application.class, properties = "statestore.lock.lease=30s")
	@EmbeddedStateStore(controlTime = true)
	static class WithControlledTime {

	}

	@SpringBootTest(classes = ApplicationWithResources.class,
			properties = "spring.main.allow-bean-definition-overriding=true")
	@EmbeddedStateStore(controlTime = true)
	static class WithOwnResources {

	}

	@SpringBootTest(classes = WritingApplication.class)
	@EmbeddedStateStore
	static class Rebuilt {

		@DirtiesContext(methodMode = MethodMode.BEFORE_METHOD)
		void test() {
		}

	}

	@SpringBootTest(classes = WritingApplication.class)
	@EmbeddedStateStore
	static class ClosedAfterTest {

		@DirtiesContext
		void test() {
		}

	}

	@SpringBootTest(classes = FailingApplication.class)
	@EmbeddedStateStore
	static class Failing {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class ApplicationWithResources {

		@Bean
		ClientResources stateStoreClientResources() {
			return new ClientResources(TimeSource.SYSTEM);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class WritingApplication {

		@Bean
		static ApplicationRunner settings(StateStoreOperations store) {
			return (arguments) -> store.set("settings", "default");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class FailingApplication {

		private static @Nullable TestBroker broker;

		@Bean
		String failing(TestBroker broker, StateStoreOperations store) {
			FailingApplication.broker = broker;
			throw new IllegalStateException("expected by the test");
		}

	}

}
