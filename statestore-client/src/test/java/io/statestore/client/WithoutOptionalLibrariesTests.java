package io.statestore.client;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockProvider;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.integration.StateStoreClientManager;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The client without one of its optional dependencies. */
class WithoutOptionalLibrariesTests {

	@Test
	void worksWithoutJackson() throws Exception {
		ClassLoader loader = run(WithoutJackson.class, "tools.jackson.", "com.fasterxml.");
		assertThatExceptionOfType(ClassNotFoundException.class)
			.isThrownBy(() -> loader.loadClass("tools.jackson.databind.ObjectMapper"));
		assertCanBeInspected(loader, StateStoreTemplate.class);
	}

	@Test
	void locksWorkWithoutShedLock() throws Exception {
		ClassLoader loader = run(WithoutShedLock.class, "net.javacrumbs.");
		assertThatExceptionOfType(NoClassDefFoundError.class)
			.isThrownBy(() -> loader.loadClass(StateStoreLockProvider.class.getName()));
		assertCanBeInspected(loader, StateStoreLockRegistry.class);
	}

	@Test
	void connectsWithoutPaho() throws Exception {
		ClassLoader loader = run(WithoutPaho.class, "org.eclipse.paho.");
		assertThatExceptionOfType(NoClassDefFoundError.class)
			.isThrownBy(() -> loader.loadClass(StateStoreClientManager.class.getName()).getDeclaredMethods());
		assertCanBeInspected(loader, StateStoreConnection.class);
	}

	private ClassLoader run(Class<? extends Runnable> scenario, String... hidden) throws Exception {
		ClassLoader loader = new HidingClassLoader(getClass().getClassLoader(), List.of(hidden));
		Class<?> type = loader.loadClass(scenario.getName());
		assertThat(type).isNotSameAs(scenario);
		Constructor<?> constructor = type.getDeclaredConstructor();
		constructor.setAccessible(true);
		((Runnable) constructor.newInstance()).run();
		return loader;
	}

	/** Reads the methods of a class, as Spring does with a bean class. */
	private static void assertCanBeInspected(ClassLoader loader, Class<?> type) throws ClassNotFoundException {
		assertThat(loader.loadClass(type.getName()).getDeclaredConstructors()).isNotEmpty();
		assertThat(loader.loadClass(type.getName()).getDeclaredMethods()).isNotEmpty();
	}

	static final class WithoutJackson implements Runnable {

		@Override
		public void run() {
			StateStoreTemplate template = new StateStoreTemplate(new InMemoryStateStore());
			template.set("key", "value", (spec) -> spec.ifAbsent());
			assertThat(template.get("key", String.class)).map(Entry::value).contains("value");
			assertThatExceptionOfType(StateStoreConversionException.class).isThrownBy(() -> template.set("key", 1))
				.withMessageContaining("spring-boot-starter-jackson");
		}

	}

	static final class WithoutShedLock implements Runnable {

		@Override
		public void run() {
			StateStoreTemplate template = new StateStoreTemplate(new InMemoryStateStore());
			FencedLock lock = new StateStoreLockRegistry(template).obtain("lock");
			assertThat(lock.tryLock()).isTrue();
			assertThat(new StateStoreLockRegistry(template).obtain("lock").tryLock()).isFalse();
			lock.unlock();
			assertThat(template.get("lock", String.class)).isEmpty();
		}

	}

	static final class WithoutPaho implements Runnable {

		@Override
		public void run() {
			try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
				StateStoreConnection connection = new StateStoreConnection(
						ConnectionOptions.builder().port(broker.port()).build());
				connection.start();
				assertThat(connection.isConnected()).isTrue();
				connection.stop();
			}
		}

	}

	/** Class loader that hides some packages, and loads the client again. */
	private static final class HidingClassLoader extends ClassLoader {

		private final List<String> hidden;

		private HidingClassLoader(ClassLoader parent, List<String> hidden) {
			super(parent);
			this.hidden = hidden;
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (this.hidden.stream().anyMatch(name::startsWith)) {
				throw new ClassNotFoundException(name);
			}
			if (!name.startsWith("io.statestore.client.")) {
				return super.loadClass(name, resolve);
			}
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				return (loaded != null) ? loaded : define(name);
			}
		}

		private Class<?> define(String name) throws ClassNotFoundException {
			try (InputStream content = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
				byte[] bytes = content.readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

}
