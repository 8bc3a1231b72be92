package io.statestore.client;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class WithoutJacksonTests {

	@Test
	void worksWithoutJacksonOnTheClassPath() throws Exception {
		ClassLoader loader = new NoJackson(getClass().getClassLoader());
		Class<?> type = loader.loadClass(Scenario.class.getName());
		assertThat(type).isNotSameAs(Scenario.class);
		assertThatExceptionOfType(ClassNotFoundException.class)
			.isThrownBy(() -> loader.loadClass("tools.jackson.databind.ObjectMapper"));
		Constructor<?> constructor = type.getDeclaredConstructor();
		constructor.setAccessible(true);
		((Runnable) constructor.newInstance()).run();
		// As Spring does with a bean class.
		assertThat(loader.loadClass(StateStoreTemplate.class.getName()).getDeclaredConstructors()).isNotEmpty();
		assertThat(loader.loadClass(StateStoreTemplate.class.getName()).getDeclaredMethods()).isNotEmpty();
	}

	/** Runs in the class loader that knows no Jackson. */
	static final class Scenario implements Runnable {

		@Override
		public void run() {
			StateStoreTemplate template = new StateStoreTemplate(new InMemoryStateStore());
			template.set("key", "value", (spec) -> spec.ifAbsent());
			assertThat(template.get("key", String.class)).map(Entry::value).contains("value");
			assertThatExceptionOfType(StateStoreConversionException.class).isThrownBy(() -> template.set("key", 1))
				.withMessageContaining("spring-boot-starter-jackson");
		}

	}

	private static final class NoJackson extends ClassLoader {

		private NoJackson(ClassLoader parent) {
			super(parent);
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (name.startsWith("tools.jackson.") || name.startsWith("com.fasterxml.")) {
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
