package io.statestore.testing.boot;

import java.io.IOException;
import java.util.Set;

import io.statestore.boot.ConnectionOptionsBuilderCustomizer;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.ValueConverter;
import io.statestore.client.annotation.StateStoreListener;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Filter for the components of {@link StateStoreTest}. */
final class StateStoreTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<StateStoreTest> {

	private static final Set<Class<?>> INCLUDES = Set.of(ValueConverter.class, KeyChangeErrorHandler.class,
			ConnectionOptionsBuilderCustomizer.class);

	StateStoreTypeExcludeFilter(Class<?> testClass) {
		super(testClass);
	}

	@Override
	protected Set<Class<?>> getKnownIncludes() {
		return INCLUDES;
	}

	@Override
	protected boolean defaultInclude(MetadataReader metadata, MetadataReaderFactory factory) throws IOException {
		return super.defaultInclude(metadata, factory)
				|| metadata.getAnnotationMetadata().hasAnnotatedMethods(StateStoreListener.class.getName());
	}

}
