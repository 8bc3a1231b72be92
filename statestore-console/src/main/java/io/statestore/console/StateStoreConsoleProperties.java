package io.statestore.console;

import java.util.regex.Pattern;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties for the console.
 *
 * @param path Path of the console within the application.
 * @param insecure Whether to serve the console in an application that does not use Spring
 * Security. Anyone who can reach the application can then read all keys. Requests must
 * address it as localhost or by IP address; other host names are refused. Ignored with
 * Spring Security.
 */
@ConfigurationProperties("statestore.console")
record StateStoreConsoleProperties(@DefaultValue("/statestore") String path, boolean insecure) {

	private static final Pattern PATH = Pattern.compile("(/[\\w.-]+)+");

	StateStoreConsoleProperties {
		if (!PATH.matcher(path).matches()) {
			throw new InvalidConfigurationPropertyValueException("statestore.console.path", path,
					"It must begin with a slash and not end with one, such as /statestore");
		}
	}

}
