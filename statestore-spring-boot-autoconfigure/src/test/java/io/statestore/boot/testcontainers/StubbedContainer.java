package io.statestore.boot.testcontainers;

import java.util.function.IntSupplier;

import org.testcontainers.containers.GenericContainer;

/** A container that does not require Docker, because it does not start. */
final class StubbedContainer extends GenericContainer<StubbedContainer> {

	private static final int BROKER_PORT = 1883;

	private final String image;

	private final IntSupplier port;

	/**
	 * Creates a container.
	 * @param image name of the image
	 * @param port host port to which the broker's port is mapped
	 */
	StubbedContainer(String image, IntSupplier port) {
		super(image);
		this.image = image;
		this.port = port;
	}

	@Override
	public String getDockerImageName() {
		return this.image;
	}

	@Override
	public void start() {
	}

	@Override
	public void stop() {
	}

	@Override
	public String getHost() {
		return "localhost";
	}

	@Override
	public Integer getMappedPort(int originalPort) {
		if (originalPort != BROKER_PORT) {
			throw new IllegalArgumentException("Port " + originalPort + " is not mapped");
		}
		return this.port.getAsInt();
	}

}
