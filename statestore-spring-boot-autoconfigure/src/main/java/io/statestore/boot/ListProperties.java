package io.statestore.boot;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/** Finds properties of an environment that may be lists. */
final class ListProperties {

	private ListProperties() {
	}

	/**
	 * Returns a property, or the first element of a list.
	 * @param name name of the property or list
	 * @return the property or first element; {@code null} if neither is set
	 */
	static @Nullable ConfigurationProperty find(Environment environment, String name) {
		ConfigurationPropertyName property = ConfigurationPropertyName.of(name);
		ConfigurationPropertyName first = ConfigurationPropertyName.of(name + "[0]");
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			ConfigurationProperty found = source.getConfigurationProperty(property);
			found = (found != null) ? found : source.getConfigurationProperty(first);
			if (found != null) {
				return found;
			}
		}
		return null;
	}

}
