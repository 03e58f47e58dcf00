package remote

import (
	"context"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/smithy-go/middleware"

	"hdseg/manifests"
)

type payloadKey struct{}

// withPayload says that the sha256 of a request's body is known, so that signing does not read it again.
func withPayload(ctx context.Context, sum manifests.Digest) context.Context {
	return context.WithValue(ctx, payloadKey{}, string(sum))
}

// knownPayload hands the digest of withPayload to the signer.
func knownPayload(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("hdsegKnownPayload", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		if sum, ok := ctx.Value(payloadKey{}).(string); ok {
			ctx = v4.SetPayloadHash(ctx, sum)
		}
		return next.HandleInitialize(ctx, in)
	}), middleware.Before)
}
