package io.statestore.testing.boot;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Creates customizers for tests with {@link EmbeddedStateStore}. */
class EmbeddedStateStoreContextCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configurations) {
		EmbeddedStateStore annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass,
				EmbeddedStateStore.class);
		return (annotation != null) ? new EmbeddedStateStoreContextCustomizer(annotation.controlTime()) : null;
	}

}
