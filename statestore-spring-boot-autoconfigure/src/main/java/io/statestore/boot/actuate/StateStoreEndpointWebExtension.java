package io.statestore.boot.actuate;

import java.util.NoSuchElementException;

import io.statestore.boot.actuate.StateStoreEndpoint.MessageDescriptor;
import io.statestore.boot.actuate.StateStoreEndpoint.Section;
import io.statestore.client.StateStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link EndpointWebExtension @EndpointWebExtension} for the {@link StateStoreEndpoint}.
 * Responds with 404 to an unknown name, and with 503 if the store does not answer.
 */
@EndpointWebExtension(endpoint = StateStoreEndpoint.class)
public class StateStoreEndpointWebExtension {

	private final StateStoreEndpoint endpoint;

	/**
	 * Creates an extension.
	 * @param endpoint the endpoint to extend
	 */
	public StateStoreEndpointWebExtension(StateStoreEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Frees a lock or ends the leadership of this process, like
	 * {@link StateStoreEndpoint#end}.
	 * @param section {@link Section#LOCKS} or {@link Section#LEADERS}
	 * @param name key of the lock as shown, or the role, split at slashes
	 * @param registry bean name of the lock registry, {@code null} for the default
	 * @return a message about the result
	 */
	@DeleteOperation
	public WebEndpointResponse<MessageDescriptor> end(@Selector Section section,
			@Selector(match = Match.ALL_REMAINING) String[] name, @Nullable String registry) {
		try {
			return new WebEndpointResponse<>(this.endpoint.end(section, name, registry));
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
