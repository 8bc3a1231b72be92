package io.statestore.boot.actuate;

import java.util.NoSuchElementException;

import io.statestore.boot.actuate.StateStoreEndpoint.MessageDescriptor;
import io.statestore.boot.actuate.StateStoreEndpoint.Section;
import io.statestore.client.StateStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link EndpointWebExtension @EndpointWebExtension} for the {@link StateStoreEndpoint}.
 * Responds with 400 if a parameter is missing, with 404 if a name is unknown, and with
 * 503 if the store does not answer.
 */
@EndpointWebExtension(endpoint = StateStoreEndpoint.class)
class StateStoreEndpointWebExtension {

	private final StateStoreEndpoint endpoint;

	/**
	 * Creates an extension.
	 * @param endpoint the endpoint to extend
	 */
	public StateStoreEndpointWebExtension(StateStoreEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Frees a lock or ends this process's leadership, like
	 * {@link StateStoreEndpoint#end}.
	 * @param section {@link Section#LOCKS} or {@link Section#LEADERS}
	 * @param key key of the lock as shown by the endpoint, required for
	 * {@link Section#LOCKS}
	 * @param role leader role, required for {@link Section#LEADERS}
	 * @param registry bean name of the lock registry, {@code null} for the default
	 * @return a message about the result
	 */
	@DeleteOperation
	public WebEndpointResponse<MessageDescriptor> end(@Selector Section section, @Nullable String key,
			@Nullable String role, @Nullable String registry) {
		try {
			return new WebEndpointResponse<>(this.endpoint.end(section, key, role, registry));
		}
		catch (InvalidEndpointRequestException ex) {
			return response(ex, WebEndpointResponse.STATUS_BAD_REQUEST);
		}
		catch (NoSuchElementException ex) {
			return response(ex, WebEndpointResponse.STATUS_NOT_FOUND);
		}
		catch (StateStoreException ex) {
			return response(ex, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	private static WebEndpointResponse<MessageDescriptor> response(RuntimeException failure, int status) {
		return new WebEndpointResponse<>(new MessageDescriptor(String.valueOf(failure.getMessage())), status);
	}

}
