// Command schemas holds what is submitted to schedulers against their own types: Jobs of Kubernetes
// (.yaml) and inputs of AWS Batch's SubmitJob (.json). A field that they do not know, or of another
// type, is an error.
//
//	go run -modfile=.ci/tools.mod .ci/schemas.go FILES
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/batch"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	for _, name := range os.Args[1:] {
		data, err := os.ReadFile(name)
		if err == nil && strings.HasSuffix(name, ".yaml") {
			err = kubernetes(data)
		} else if err == nil {
			err = aws(data)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
	}
	fmt.Println(len(os.Args)-1, "files are what their schedulers take")
}

func kubernetes(data []byte) error {
	var job batchv1.Job
	if err := yaml.UnmarshalStrict(data, &job); err != nil {
		return err
	}
	s := job.Spec
	switch {
	case job.Kind != "Job" || job.APIVersion != batchv1.SchemeGroupVersion.String() || job.Name == "" || len(job.Name) > 63:
		return fmt.Errorf("got %s %s %q", job.APIVersion, job.Kind, job.Name)
	case s.CompletionMode == nil || *s.CompletionMode != batchv1.IndexedCompletion || s.Completions == nil || s.BackoffLimitPerIndex == nil:
		return fmt.Errorf("want an indexed job with retries of each index")
	case len(s.Template.Spec.Containers) != 1 || s.Template.Spec.RestartPolicy != "Never":
		return fmt.Errorf("want one container that is never restarted")
	}
	return nil
}

func aws(data []byte) error {
	var in batch.SubmitJobInput
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return err
	}
	if in.JobName == nil || in.JobQueue == nil || in.JobDefinition == nil || in.ContainerOverrides == nil {
		return fmt.Errorf("a name, queue, definition or container is missing")
	}
	if a := in.ArrayProperties; a != nil && (*a.Size < 2 || *a.Size > 10000) {
		return fmt.Errorf("an array of %d", *a.Size)
	}
	for _, r := range in.ContainerOverrides.ResourceRequirements {
		if !slices.Contains(r.Type.Values(), r.Type) {
			return fmt.Errorf("resource %s: want one of %v", r.Type, r.Type.Values())
		}
	}
	return nil
}
