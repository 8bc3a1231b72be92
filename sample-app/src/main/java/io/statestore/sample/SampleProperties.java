package io.statestore.sample;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the sample.
 *
 * @param name name of this machine in the store, by default the name of the host
 * @param setPoint CPU load in percent above which a machine counts as hot. The first
 * instance to start writes it to the store
 */
@ConfigurationProperties("sample")
record SampleProperties(String name, double setPoint) {

	SampleProperties(@Nullable String name, @DefaultValue("80") double setPoint) {
		this.name = (name != null && !name.isBlank()) ? name : hostName();
		this.setPoint = setPoint;
		if (this.name.indexOf('/') >= 0) {
			throw new IllegalArgumentException(
					"'sample.name' must not contain '/', because it is one part of the key machines/{name}/cpu, but is '"
							+ this.name + "'");
		}
	}

	private static String hostName() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "localhost";
		}
	}

}
