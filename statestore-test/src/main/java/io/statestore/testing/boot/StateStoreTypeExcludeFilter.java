package io.statestore.testing.boot;

import java.io.IOException;
import java.util.Set;

import io.statestore.boot.ConnectionOptionsBuilderCustomizer;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.ValueConverter;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.listener.ListenerBeanPostProcessor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.stereotype.Component;
import org.springframework.util.ClassUtils;

/** Limits component scanning for {@link StateStoreTest}. */
final class StateStoreTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<StateStoreTest> {

	private static final Logger logger = LoggerFactory.getLogger(StateStoreTypeExcludeFilter.class);

	private static final Set<Class<?>> INCLUDES = Set.of(ValueConverter.class, KeyChangeErrorHandler.class,
			ConnectionOptionsBuilderCustomizer.class);

	private final @Nullable ClassLoader classLoader;

	StateStoreTypeExcludeFilter(Class<?> testClass) {
		super(testClass);
		this.classLoader = testClass.getClassLoader();
	}

	@Override
	protected Set<Class<?>> getKnownIncludes() {
		return INCLUDES;
	}

	@Override
	protected boolean defaultInclude(MetadataReader metadata, MetadataReaderFactory factory) throws IOException {
		return super.defaultInclude(metadata, factory)
				|| metadata.getAnnotationMetadata().isAnnotated(Component.class.getName())
						&& hasListeners(metadata.getClassMetadata().getClassName());
	}

	/**
	 * Returns whether a class has listener methods. Loads the class, because class file
	 * metadata lacks inherited methods and containers of repeated annotations.
	 */
	private boolean hasListeners(String className) {
		try {
			return ListenerBeanPostProcessor.hasListeners(ClassUtils.forName(className, this.classLoader),
					StateStoreListener.class);
		}
		catch (ClassNotFoundException | LinkageError ex) {
			logger.debug("Component {} is not part of the test, because it cannot be loaded", className, ex);
			return false;
		}
	}

}
